#include "picl_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <vocabulary/source_position.hpp>

namespace tmon_foreign {
namespace {

using tmon_order::End;
using tmon_order::Role;
using vocabulary::InputError;

constexpr std::uint64_t most_seconds = 1'000'000'000, us_a_second = 1'000'000;
constexpr std::int64_t most_lost = std::int64_t{1} << 40;  // of one loss
constexpr std::size_t most_text = std::size_t{1} << 31, most_line = 1U << 20;

// Words of a line, from the left. A number that is none ends the reading; why() then says which.
class Words {
public:
    explicit Words(std::string_view line) : rest_(line) {}

    std::optional<std::int64_t> number(const char* what) {
        skip_blanks();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        const bool ended = end == rest_.data() + rest_.size() || *end == ' ' || *end == '\t';
        if (error != std::errc() || !ended) {
            if (why_.empty()) why_ = fmt::format("'{}' is no {}", first_word(), what);
            return std::nullopt;
        }
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }
    // SECONDS.MICROSECONDS, six digits at most.
    std::optional<std::int64_t> seconds_us() {
        skip_blanks();
        const std::string_view word = first_word();
        const std::size_t dot = word.find('.');
        const std::string_view whole = word.substr(0, dot);
        const std::string_view part = dot == std::string_view::npos ? std::string_view() : word.substr(dot + 1);
        std::uint64_t seconds = 0, micros = 0;
        const auto all = [](std::string_view digits) {
            return std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
        };
        const auto read = [](std::string_view digits, std::uint64_t& to) {
            return std::from_chars(digits.data(), digits.data() + digits.size(), to).ec == std::errc();
        };
        bool good =
            !whole.empty() && all(whole) && all(part) && part.size() <= 6 && read(whole, seconds) && seconds <= most_seconds;
        if (good && !part.empty()) {
            good = read(part, micros);
            for (std::size_t i = part.size(); i < 6; ++i) micros *= 10;
        }
        if (!good) {
            if (why_.empty()) why_ = fmt::format("'{}' is no time in seconds, with six decimals at most", word);
            return std::nullopt;
        }
        rest_.remove_prefix(word.size());
        return static_cast<std::int64_t>(seconds * us_a_second + micros);
    }
    std::string_view rest() {
        skip_blanks();
        return rest_;
    }
    void refuse(std::string why) {
        if (why_.empty()) why_ = std::move(why);
    }
    const std::string& why() const { return why_; }

private:
    void skip_blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
    }
    std::string_view first_word() const {
        return rest_.substr(0, std::min(rest_.find_first_of(" \t"), rest_.size())).substr(0, 40);
    }

    std::string_view rest_;
    std::string why_;
};

// The content of a line, with processors by their numbers in the file.
struct Line {
    Kind kind = Kind::Other;
    std::int64_t us = 0, node = 0, partner = 0, tag = 0, bytes = 0;
    std::string before, behind;
};

// "lost 12 records, 3 to 14: buffer-full": the number, as `export` writes it; 0 for another text.
std::int64_t lost_in_text(std::string_view text) {
    constexpr std::string_view begin = "\"lost ", behind = " records, ";
    std::int64_t count = 0;
    if (text.substr(0, begin.size()) != begin) return 0;
    text.remove_prefix(begin.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const auto digits = static_cast<std::size_t>(end - text.data());
    return error == std::errc() && count > 0 && count <= most_lost && text.substr(digits, behind.size()) == behind ? count : 0;
}

// A mark of full buffers: first and last lost record, cause.
bool read_loss(Words& words, std::int64_t count, Line& to) {
    const auto descriptor = words.number("descriptor"), first = words.number("first lost record");
    const auto last = first ? words.number("last lost record") : std::nullopt;
    if (count < 2 || !descriptor || !last || *first < 0 || *last < *first || *last > most_lost) {
        words.refuse("a mark of full buffers has the first and the last lost record");
        return false;
    }
    to.kind = Kind::Lost;
    to.bytes = *last - *first + 1;
    return true;
}

// RECORD-TYPE EVENT-TYPE TIME PROCESSOR TASK COUNT [DESCRIPTOR VALUES]
bool read_new(Words& words, Line& to) {
    const auto type = words.number("record type"), event = words.number("event type");
    const auto us = type && event ? words.seconds_us() : std::nullopt;
    const auto node = us ? words.number("processor") : std::nullopt;
    if (!node) return false;
    to.us = *us;
    to.node = *node;
    to.before = fmt::format("{} {}", *type, *event);
    to.behind = fmt::format("{} {}", *node, words.rest());
    const auto task = words.number("task"), count = task ? words.number("number of values") : std::nullopt;
    if (!count) return false;
    const bool leaves = *type == -4, enters = *type == -3;
    if (enters && *event == -901) to.kind = Kind::Enter;
    if (leaves && *event == -901) to.kind = Kind::End;
    if (*type == -2 && *event == -913) return read_loss(words, *count, to);
    const bool sends = enters && *event == -21, receives = leaves && (*event == -51 || *event == -52);
    if (!sends && !receives) return true;
    const auto descriptor = words.number("descriptor"), bytes = words.number("length");
    const auto tag = bytes ? words.number("message type") : std::nullopt,
               partner = tag ? words.number("processor") : std::nullopt;
    if (*count != 3 || !descriptor || !partner) {
        words.refuse("a message has three values: length, type, processor");
        return false;
    }
    to.kind = sends ? Kind::Send : Kind::Receive;
    to.bytes = *bytes;
    to.tag = *tag;
    to.partner = *partner;
    return true;
}

// KEY SECONDS MICROSECONDS PROCESSOR FIELDS
bool read_old(Words& words, Line& to) {
    const auto key = words.number("key"), seconds = key ? words.number("time in seconds") : std::nullopt;
    const auto micros = seconds ? words.number("number of microseconds") : std::nullopt;
    const auto node = micros ? words.number("processor") : std::nullopt;
    if (!node) return false;
    if (*key < 1 || *seconds < 0 || *seconds > std::int64_t{most_seconds} || *micros < 0 ||
        *micros >= std::int64_t{us_a_second}) {
        words.refuse(fmt::format("'{} {} {}' is no key with seconds and microseconds", *key, *seconds, *micros));
        return false;
    }
    to.us = *seconds * std::int64_t{us_a_second} + *micros;
    to.node = *node;
    to.before = fmt::format("{}", *key);
    const std::string_view rest = words.rest();
    to.behind = rest.empty() ? fmt::format("{}", *node) : fmt::format("{} {}", *node, rest);
    if (*key == 1) to.kind = Kind::Enter;
    if (*key == 19) to.kind = Kind::End;
    if (*key == 16) to.bytes = lost_in_text(rest);
    if (to.bytes > 0) to.kind = Kind::Lost;
    if (*key != 4 && *key != 6 && *key != 8) return true;
    const auto partner = words.number("processor"), tag = partner ? words.number("message type") : std::nullopt;
    const auto bytes = tag ? words.number("length") : std::nullopt;
    if (!bytes) return false;
    to.kind = *key == 4 ? Kind::Send : Kind::Receive;
    to.partner = *partner;
    to.tag = *tag;
    to.bytes = *bytes;
    return true;
}

class Reader {
public:
    Reader(const std::string& file, Format format) : file_(file) {
        trace_.format = format;
        trace_.file = file;
        trace_.status = "whole";
        trace_.clock = format == Format::Picl ? "that of the PICL file" : "that of the PICL file (1990)";
    }

    ForeignTrace read() {
        std::ifstream in(file_, std::ios::binary);
        if (!in) throw InputError({file_, 0, 0}, "cannot be read; check that it exists and may be read");
        std::string text;
        while (trace_.status == "whole" && std::getline(in, text)) {
            ++line_;
            if (in.eof()) {
                stop("it has no end");  // the last line, cut off
            } else if (!text.empty()) {
                take(text);
            }
        }
        if (in.bad()) throw InputError({file_, line_, 0}, "cannot be read on; the host gives no reason");
        name_streams();
        return std::move(trace_);
    }

private:
    void stop(const std::string& why) {
        if (trace_.events.empty()) throw InputError({file_, line_, 0}, why + "; give a file of PICL records");
        trace_.status =
            fmt::format("damaged at line {}: {}; the {} records before it are whole", line_, why, trace_.events.size());
    }
    void take(const std::string& text) {
        Words words(text);
        Line line;
        const bool good = text.size() <= most_line && text.find('\0') == std::string::npos &&
                          (trace_.format == Format::Picl ? read_new : read_old)(words, line);
        if (!good) return stop(words.why().empty() ? "the line is too long, or no text" : words.why());
        if (trace_.text.size() + text.size() > most_text) return stop("more than 2 GB of text cannot be read");
        ForeignEvent event;
        event.time_ns = line.us * 1000;
        event.kind = line.kind;
        event.tag = line.tag;
        event.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(line.bytes, 0));
        event.before = static_cast<std::uint32_t>(trace_.text.size());
        trace_.text += line.before;
        event.behind = static_cast<std::uint32_t>(trace_.text.size());
        trace_.text += line.behind;
        event.behind_end = static_cast<std::uint32_t>(trace_.text.size());
        trace_.events.push_back(event);
        nodes_.push_back({line.node, line.partner});
        streams_.emplace(line.node, 0);
    }

    // Processors first, then the host, which has a negative number.
    void name_streams() {
        for (const bool host : {false, true}) {
            for (auto& [node, stream] : streams_) {
                if ((node < 0) != host) continue;
                stream = static_cast<std::uint32_t>(trace_.streams.size());
                const bool plain = node == std::int64_t{stream};
                trace_.streams.push_back({plain  ? ""
                                          : host ? "host"
                                                 : fmt::format("processor {}", node),
                                          tmon_order::StreamEnding::Open});
            }
        }
        // A send to no processor of the file may be a broadcast. Its receives look like those of messages, so nothing can be
        // told of the sender's messages of that type.
        for (std::size_t i = 0; i < trace_.events.size(); ++i) {
            if (trace_.events[i].kind == Kind::Send && streams_.count(nodes_[i].second) == 0)
                broadcast_.emplace(nodes_[i].first, trace_.events[i].tag);
        }
        for (std::size_t i = 0; i < trace_.events.size(); ++i) {
            ForeignEvent& event = trace_.events[i];
            event.stream = streams_.at(nodes_[i].first);
            if (event.kind == Kind::End) trace_.streams[event.stream].ending = tmon_order::StreamEnding::Finished;
            if (event.kind == Kind::Send || event.kind == Kind::Receive) tie(event, nodes_[i].first, nodes_[i].second);
        }
    }
    // Messages of one type between two processors keep their order.
    void tie(ForeignEvent& event, std::int64_t node, std::int64_t partner) {
        const auto found = streams_.find(partner);
        if (found == streams_.end()) return;
        event.partner = found->second;
        const bool send = event.kind == Kind::Send;
        if (broadcast_.count({send ? node : partner, event.tag}) > 0) return;
        End end;
        end.role = send ? Role::Source : Role::Target;
        end.source_may_be_late = true;  // some make the record when the message has left
        end.from = send ? event.stream : event.partner;
        end.to = send ? event.partner : event.stream;
        end.key = {std::uint64_t{end.from} << 32 | end.to, static_cast<std::uint64_t>(event.tag)};
        end.channel = end.key;
        event.end = static_cast<std::uint32_t>(trace_.ends.size());
        trace_.ends.push_back(end);
    }

    const std::string& file_;
    ForeignTrace trace_;
    std::vector<std::pair<std::int64_t, std::int64_t>> nodes_;  // of each event: its processor's number, its partner's
    std::map<std::int64_t, std::uint32_t> streams_;
    std::set<std::pair<std::int64_t, std::int64_t>> broadcast_;  // sender and type
    int line_ = 0;
};

}  // namespace

bool looks_like_picl(const std::string& first_line, Format& format) {
    for (const Format one : {Format::Picl, Format::PiclOld}) {
        Words words(first_line);
        Line line;
        const bool good = (one == Format::Picl ? read_new : read_old)(words, line);
        if (!good || (one == Format::Picl && line.before[0] != '-')) continue;
        format = one;
        return true;
    }
    return false;
}

ForeignTrace read_picl(const std::string& file, Format format) {
    return Reader(file, format).read();
}

}  // namespace tmon_foreign
