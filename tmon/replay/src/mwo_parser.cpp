#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include <text/output_file.hpp>
#include <tmon_replay/mwo_file.hpp>
#include <vocabulary/source_position.hpp>

#include "cut_files.hpp"
#include "mwo_text.hpp"

namespace tmon_replay {
namespace {

constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max() - 1;  // so that no sum with one overflows

// The words of a line, and where each stands.
class Line {
public:
    Line(std::string_view text, std::string name, int number) : text_(text), name_(std::move(name)), number_(number) {}

    bool over() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        return at_ >= text_.size() || text_[at_] == '#';
    }
    std::string_view word(const char* expected) {
        if (over()) fail(std::string("the line ends here; expected ") + expected);
        start_ = at_;
        while (at_ < text_.size() && text_[at_] != ' ') ++at_;
        return text_.substr(start_, at_ - start_);
    }
    void expect(std::string_view wanted) {
        if (word(std::string("'").append(wanted).append("'").c_str()) != wanted) fail(fmt::format("expected '{}'", wanted));
    }
    std::int32_t number(const char* expected, std::int32_t least, std::int32_t greatest) {
        return value_of(word(expected), expected, least, greatest);
    }
    std::int32_t value_of(std::string_view digits, const char* expected, std::int32_t least, std::int32_t greatest) {
        std::int32_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size() || value < least || value > greatest)
            fail(fmt::format("expected {} from {} to {}", expected, least, greatest));
        return value;
    }
    std::uint64_t unsigned_number(const char* expected, int base) {
        const std::string_view digits = word(expected);
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (error != std::errc{} || end != digits.data() + digits.size()) fail(std::string("expected ") + expected);
        return value;
    }
    std::string quoted_text() {
        if (over() || text_[at_] != '"') fail("expected a text in quotes");
        start_ = at_++;
        std::string result;
        while (at_ < text_.size() && text_[at_] != '"') result += letter();
        if (at_ >= text_.size()) fail("the quotes are not closed");
        ++at_;
        return result;
    }
    void end() {
        if (!over()) {
            start_ = at_;
            fail("the line should end here");
        }
    }
    [[noreturn]] void fail(const std::string& message) const {
        throw vocabulary::InputError({name_, number_, static_cast<int>(std::min(start_, std::size_t{100000})) + 1}, message);
    }

private:
    char letter() {
        if (text_[at_] != '\\') return text_[at_++];
        if (at_ + 1 < text_.size() && text_[at_ + 1] != 'x') {
            at_ += 2;
            return text_[at_ - 1];
        }
        unsigned code = 0;
        const char* const first = text_.data() + std::min(at_ + 2, text_.size());
        const char* const last = text_.data() + std::min(at_ + 4, text_.size());
        const auto [end, error] = std::from_chars(first, last, code, 16);
        if (error != std::errc{} || end != first + 2) fail("expected \\\\, \\\" or \\x with two digits");
        at_ += 4;
        return static_cast<char>(code);
    }

    std::string_view text_;
    std::string name_;
    int number_;
    std::size_t at_ = 0, start_ = 0;
};

class Parser {
public:
    Parser(const std::string& text, std::string name) : text_(text), name_(std::move(name)) {}

    DeliveryOrder parse() {
        std::size_t at = 0;
        for (int number = 1; at < text_.size(); ++number) {
            const std::size_t feed = text_.find('\n', at);
            if (feed == std::string::npos) break;  // it was cut off in this line
            Line line(std::string_view(text_).substr(at, feed - at), name_, number);
            at = feed + 1;
            if (line.over()) continue;
            if (order_.whole()) line.fail("nothing may follow the line 'end'");
            if (!in_header_) {
                event(line);
            } else {
                header(line);
            }
            line.end();
        }
        if (in_header_)
            throw vocabulary::InputError({name_, 0, 0}, "it is no file of 'magicwire mpirun --record': its header has no end");
        if (!order_.whole()) keep_what_holds(order_, told_);
        return std::move(order_);
    }

private:
    void header(Line& line) {
        RunIdentity& run = order_.run;
        const std::string key(line.word("a word"));
        if (!known_version_) {
            if (key != "magicwire-order") line.fail("it is no file of 'magicwire mpirun --record'");
            if (line.number("the version, a number", 1, most) != 1)
                line.fail("this version of Magicwire reads version 1; record the run anew");
            known_version_ = true;
        } else if (key == "program") {
            run.program_hash = line.unsigned_number("a hash of sixteen digits", 16);
            run.program = line.quoted_text();
        } else if (key == "np") {
            run.ranks = static_cast<std::size_t>(line.number("a number of ranks", 1, static_cast<std::int32_t>(most_ranks)));
        } else if (key == "argument") {
            run.arguments.push_back(line.quoted_text());
        } else if (key == "rule") {
            run.rule = line.word("exact or annai");
            if (run.rule != "exact" && run.rule != "annai") line.fail("expected exact or annai");
        } else if (key == "stamps") {
            run.stamps = line.word("full or changed");
            if (run.stamps != "full" && run.stamps != "changed") line.fail("expected full or changed");
        } else if (key == "sources") {
            const std::string_view which = line.word("all or first");
            run.all_sources = which == "all";
            if (!run.all_sources && which != "first") line.fail("expected all or first");
        } else if (key == "machine") {
            run.machine = line.quoted_text();
        } else if (key == "map") {
            run.map = line.word("node or slot");
            if (run.map != "node" && run.map != "slot") line.fail("expected node or slot");
        } else if (key == "seed") {
            run.seed = line.unsigned_number("a number", 10);
        } else if (key == "set") {
            run.settings.push_back(line.quoted_text());
        } else if (key == "unseen") {
            run.unseen.push_back(line.quoted_text());
        } else if (key == "buffering" || key == "checks") {
            line.expect("off");
            (key == "checks" ? run.checks : run.buffers) = false;
        } else if (key == "begin") {
            if (run.ranks == 0) line.fail("the line 'np RANKS' is missing above");
            order_.ranks.resize(run.ranks);
            told_.resize(run.ranks);
            in_header_ = false;
        } else {
            line.fail(
                "expected program, np, argument, rule, stamps, sources, machine, map, seed, set, buffering, checks, unseen or "
                "begin");
        }
    }

    void event(Line& line) {
        const std::string_view first = line.word("a rank, as r0");
        if (first == "end") {
            order_.end = line.word("how the run ended");
            return;
        }
        const auto ranks = static_cast<std::int32_t>(order_.ranks.size());
        if (first.size() < 2 || first[0] != 'r') line.fail("expected a rank, as r0, or 'end'");
        const auto number = static_cast<std::size_t>(line.value_of(first.substr(1), "a rank", 0, ranks - 1));
        RankOrder& rank = order_.ranks[number];
        const std::string_view what = line.word("a kind of call");
        if (what == known_word) {
            rank.known = counters(line);
            told_[number].push_back({rank.outcomes.size(), rank.known, std::move(rank.clock)});
            rank.clock.clear();
        } else if (what == clock_word) {
            rank.clock.clear();
            for (std::int32_t i = 0; i < ranks; ++i) rank.clock.push_back(line.number("an entry of a clock", 0, most));
        } else if (what == ended_word) {
            rank.ended = rank.known = counters(line);
        } else {
            outcome(line, kind_of(line, what), rank);
        }
    }

    static CallKind kind_of(const Line& line, std::string_view name) {
        for (std::size_t kind = 0; kind < call_kinds; ++kind) {
            if (name == call_names[kind]) return static_cast<CallKind>(kind);
        }
        line.fail(fmt::format("expected {}, {} or {}", fmt::join(call_names, ", "), known_word, ended_word));
    }

    static Counters counters(Line& line) {
        Counters result{};
        while (!line.over()) {
            const CallKind kind = kind_of(line, line.word("a kind of call"));
            result[static_cast<std::size_t>(kind)] = line.number("a number of calls", 0, most);
        }
        return result;
    }

    void outcome(Line& line, CallKind kind, RankOrder& rank) const {
        CallOutcome its{.kind = kind};
        const auto last_rank = static_cast<std::int32_t>(order_.ranks.size()) - 1;
        const std::string_view range = line.word("a counter, or a range such as 17..41");
        const std::size_t dots = range.find("..");
        its.first = its.last = line.value_of(range.substr(0, dots), "a counter", 1, most);
        if (dots != std::string_view::npos) {
            if (kind != CallKind::Receive) line.fail("only receives stand in ranges");
            its.last = line.value_of(range.substr(dots + 2), "a counter", its.first, most);
        }
        std::vector<std::int32_t> sources{0};
        if (kind == CallKind::Receive || kind == CallKind::Iprobe) {
            line.expect("from");
            const std::string_view source = line.word("a rank");
            its.cancelled = source == "none" && kind == CallKind::Receive;
            sources = {its.cancelled ? -1 : line.value_of(source, "a rank", 0, last_rank)};
        } else if (kind != CallKind::Test && kind != CallKind::Cancel) {
            line.expect("index");
            sources = list(line, "the index of a request", most);
        }
        if (kind == CallKind::Receive) rest_of_receive(line, its, last_rank);
        for (const std::int32_t source : sources) {
            its.source = source;
            rank.outcomes.push_back(its);
        }
    }

    static void rest_of_receive(Line& line, CallOutcome& its, std::int32_t last_rank) {
        while (!line.over()) {
            const std::string_view word = line.word("'or' or 'maybe'");
            if (word == "or" && its.others.empty()) {
                its.others = list(line, "a rank", last_rank);
            } else if (word == "maybe" && !its.maybe) {
                its.maybe = true;
            } else {
                line.fail("expected 'or', 'maybe' or the end of the line");
            }
        }
    }

    static std::vector<std::int32_t> list(Line& line, const char* expected, std::int32_t greatest) {
        std::string_view words = line.word(expected);
        std::vector<std::int32_t> result;
        for (std::size_t comma = 0; comma != std::string_view::npos; words = words.substr(comma + 1)) {
            comma = words.find(',');
            result.push_back(line.value_of(words.substr(0, comma), expected, 0, greatest));
            if (comma == std::string_view::npos) break;
        }
        return result;
    }

    const std::string& text_;
    std::string name_;
    DeliveryOrder order_{};
    std::vector<std::vector<Told>> told_{};  // by rank
    bool known_version_ = false, in_header_ = true;
};

// Two outcomes of one call cannot both be true.
void refuse_contradictions(const DeliveryOrder& order, const std::string& name) {
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
        std::vector<CallOutcome> all = order.ranks[rank].outcomes;
        std::sort(all.begin(), all.end(), [](const CallOutcome& a, const CallOutcome& b) {
            return a.kind != b.kind ? a.kind < b.kind : a.first < b.first;
        });
        const CallOutcome* farthest = nullptr;
        for (const CallOutcome& one : all) {
            if (farthest == nullptr || farthest->kind != one.kind || farthest->last < one.first) {
                farthest = &one;
                continue;
            }
            const bool several = one.kind == CallKind::Testsome || one.kind == CallKind::Waitsome;
            if (!several && (one.source != farthest->source || one.cancelled != farthest->cancelled))
                throw vocabulary::InputError({name, 0, 0},
                                             fmt::format("'r{} {} {}' stands there with two outcomes", rank,
                                                         call_names[static_cast<std::size_t>(one.kind)], one.first));
            if (one.last > farthest->last) farthest = &one;
        }
    }
}

}  // namespace

DeliveryOrder parse_mwo(const std::string& text, const std::string& name) {
    DeliveryOrder order = Parser(text, name).parse();
    refuse_contradictions(order, name);
    return order;
}

DeliveryOrder read_mwo(const std::string& path) {
    return parse_mwo(text::read_text_file(path, "a file of 'magicwire mpirun --record'"), path);
}

}  // namespace tmon_replay
