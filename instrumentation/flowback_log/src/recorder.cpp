#include <flowback_log/recorder.hpp>

#include <algorithm>
#include <cstring>

#include <flowback_log/log_file.hpp>

#include "address.hpp"

namespace flowback_log {
namespace {

constexpr std::uint64_t page_bytes = 4096;

}  // namespace

std::vector<Range> merged(std::vector<Range> ranges) {
    std::sort(ranges.begin(), ranges.end());
    std::vector<Range> result;
    for (const Range& each : ranges) {
        if (!result.empty() && each.first <= result.back().first + result.back().second) {
            const std::uint64_t end = std::max(result.back().first + result.back().second, each.first + each.second);
            result.back().second = end - result.back().first;
        } else {
            result.push_back(each);
        }
    }
    return result;
}

std::vector<Range> difference(const std::vector<Range>& ranges, const std::vector<Range>& without) {
    std::vector<Range> result;
    auto cut = without.begin();
    for (const auto& [first, bytes] : ranges) {
        std::uint64_t from = first;
        const std::uint64_t end = first + bytes;
        while (cut != without.end() && cut->first + cut->second <= from) ++cut;
        for (auto each = cut; each != without.end() && each->first < end; ++each) {
            if (each->first > from) result.emplace_back(from, each->first - from);
            from = std::max(from, std::min(end, each->first + each->second));
        }
        if (from < end) result.emplace_back(from, end - from);
    }
    return result;
}

Recorder::Recorder(ChunkSink& sink, const Process& process, std::size_t content)
    : sink_(sink), content_(content), shared_(process.shared) {
    begin(Kind::Process);
    put(process.name);
    put(process.like);
    put(process.program);
    put(process.shared.first);
    put(process.shared.second);
}

Recorder::~Recorder() {
    if (finished_ || buffer_.empty()) return;
    finished_ = true;  // as far as it came
    flush(Ending::MoreFollow);
}

void Recorder::finish(Ending ending) {
    if (!open_.empty()) {
        const std::uint64_t touches = touches_;
        begin(Kind::Stopped);
        put(touches);
    }
    finished_ = true;
    flush(ending);
}

void Recorder::put(std::uint64_t number) {
    while (number >= 0x80) {
        buffer_.push_back(static_cast<std::byte>(number | 0x80));
        number >>= 7U;
    }
    buffer_.push_back(static_cast<std::byte>(number));
}
void Recorder::put(const void* data, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    buffer_.insert(buffer_.end(), from, from + bytes);
}
void Recorder::put_sized(const void* data, std::size_t bytes) {
    put(bytes);
    if (bytes > 0) put(data, bytes);
}
void Recorder::put(const std::string& text) {
    put_sized(text.data(), text.size());
}

void Recorder::begin(Kind kind) {
    if (buffer_.size() >= content_) flush(Ending::MoreFollow);
    buffer_.push_back(static_cast<std::byte>(kind));
    ++work_.entries;
    touches_ = 0;
}

// Full chunks, and the rest too where the log ends.
void Recorder::flush(Ending ending) {
    const bool all = finished_;
    std::size_t done = 0;
    const auto chunk = [&](std::size_t bytes, Ending how) {
        sink_.put(chunks_, make_chunk(chunks_, how, std::span(buffer_).subspan(done, bytes)));
        ++chunks_;
        done += bytes;
    };
    while (buffer_.size() - done >= content_) chunk(content_, Ending::MoreFollow);
    if (all) chunk(buffer_.size() - done, ending);
    work_.bytes += done;
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(done));
}

void Recorder::count_access(std::size_t bytes) {
    constexpr std::size_t word = 4;  // of a T800
    ++touches_;
    ++work_.checks;
    if (bytes > word) work_.words += (bytes - 1) / word;
}

Recorder::Known& Recorder::known() {
    return known_[std::min(open_.size(), separate_depths - 1)];
}

Recorder::Page& Recorder::page(std::uint64_t address) {
    Known& own = known();
    const std::uint64_t number = address / page_bytes;
    if (number == own.last_number) return *own.last;
    auto& its = own.pages[number];
    if (its == nullptr) its = std::make_unique<Page>(Page{});
    own.last_number = number;
    own.last = its.get();
    return *own.last;
}

bool Recorder::knows(std::uint64_t address, std::size_t bytes) {
    const bool is_shared = address < shared_.first + shared_.second && shared_.first < address + bytes;
    if (is_shared) return false;
    const std::uint32_t epoch = known().epoch;
    for (const std::uint64_t end = address + bytes; address < end;) {
        const Page& its = page(address);
        for (std::uint64_t i = address % page_bytes; i < page_bytes && address < end; ++i, ++address) {
            if (its[i] != epoch) return false;
        }
    }
    return true;
}

void Recorder::mark(std::uint64_t address, std::size_t bytes, bool is_known) {
    const std::uint32_t epoch = is_known ? known().epoch : 0;
    for (const std::uint64_t end = address + bytes; address < end;) {
        Page& its = page(address);
        for (std::uint64_t i = address % page_bytes; i < page_bytes && address < end; ++i, ++address) its[i] = epoch;
    }
}

void Recorder::note_written(std::uint64_t address, std::uint64_t bytes) {
    if (open_.empty() || bytes == 0) return;
    Interval& own = open_.back();
    if (!own.wrote.empty()) {
        auto& [first, length] = own.wrote.back();
        if (address >= first && address <= first + length) {
            length = std::max(length, address + bytes - first);
            return;
        }
    }
    own.wrote.emplace_back(address, bytes);
    if (own.wrote.size() < own.merge_at) return;
    own.wrote = merged(std::move(own.wrote));
    own.merge_at = std::max<std::size_t>(1024, 2 * own.wrote.size());
}

void Recorder::close_down_to(std::size_t depth) {
    if (open_.size() <= depth) return;
    const std::uint64_t touches = touches_;
    begin(Kind::Unwound);
    put(depth);
    put(touches);
    while (open_.size() > depth) {
        Interval inner = std::move(open_.back());
        open_.pop_back();
        if (open_.empty()) continue;
        open_.back().unknown_inside = true;
        for (const Range& range : inner.wrote) note_written(range.first, range.second);
    }
    forget_all();
}

void Recorder::root(std::uint32_t entry, std::uint32_t task, std::uint32_t subtask, const std::vector<Range>& parts) {
    close_down_to(0);
    begin(Kind::Root);
    for (const std::uint64_t number :
         {std::uint64_t{entry}, std::uint64_t{task}, std::uint64_t{subtask}, std::uint64_t{parts.size()}})
        put(number);
    for (const auto& [address, bytes] : parts) {
        put(address);
        put(bytes);
    }
}

std::uint32_t Recorder::enter(std::uint32_t function, const std::uint64_t* addresses, const void* words, std::size_t bytes) {
    if (std::find(known_sources_.begin(), known_sources_.end(), addresses[0]) == known_sources_.end()) {
        known_sources_.push_back(addresses[0]);
        begin(Kind::Addresses);
        for (std::uint64_t i = 0; i < 2 + addresses[1]; ++i) put(addresses[i]);
    }
    ++entered_;
    begin(Kind::Enter);
    put(function);
    put(open_.size());
    put_sized(words, bytes);
    open_.emplace_back();
    forget_all();
    return static_cast<std::uint32_t>(open_.size());
}

void Recorder::leave(std::uint32_t depth, const void* value, std::size_t bytes) {
    close_down_to(depth);
    if (open_.empty()) return;
    const Interval inner = std::move(open_.back());
    open_.pop_back();
    const std::vector<Range> wrote = difference(merged(inner.wrote), merged(inner.variables));
    begin(Kind::Leave);
    put(open_.size());
    put_sized(value, bytes);
    put(inner.unknown_inside ? 1 : 0);
    put(wrote.size());
    work_.words += inner.wrote.size() + inner.variables.size();
    std::uint64_t last = 0;
    for (const auto& [address, length] : wrote) {
        put(address - last);
        put(length);
        last = address + length;
    }
    if (!open_.empty()) {
        open_.back().unknown_inside = open_.back().unknown_inside || inner.unknown_inside;
        for (const Range& range : wrote) {
            note_written(range.first, range.second);
            mark(range.first, range.second, false);
        }
    }
    if (inner.unknown_inside || open_.size() + 1 >= separate_depths) forget_all();
}

void Recorder::read(std::uint64_t address, std::size_t bytes) {
    if (open_.empty() || bytes == 0) return;
    count_access(bytes);
    if (knows(address, bytes)) return;
    begin(Kind::Read);
    put_sized(at(address), bytes);
    mark(address, bytes, true);
}

void Recorder::wrote(std::uint64_t address, std::size_t bytes) {
    if (open_.empty()) return;
    count_access(bytes);
    mark(address, bytes, true);
    note_written(address, bytes);
}

void Recorder::variable(std::uint64_t address, std::size_t bytes) {
    if (open_.empty()) return;
    begin(Kind::Variable);
    put(address);
    put(bytes);
    mark(address, bytes, false);
    std::vector<Range>& variables = open_.back().variables;
    if (variables.size() >= open_.back().merge_variables_at) {
        variables = merged(std::move(variables));
        open_.back().merge_variables_at = std::max<std::size_t>(1024, 2 * variables.size());
    }
    variables.emplace_back(address, bytes);
}

void Recorder::unreadable() {
    if (open_.empty()) return;
    begin(Kind::Read);
    put_sized(nullptr, 0);
}

void Recorder::call(std::uint32_t site, std::uint32_t depth, Effect effect, const void* value, std::size_t bytes,
                    std::uint64_t first, std::uint64_t second) {
    if (depth > 0) close_down_to(depth);
    const std::vector<Range> outputs = take_outputs();
    if (open_.empty()) return;
    if (effect == Effect::Told && bytes == sizeof(int) && std::memcmp(value, "\0\0\0", sizeof(int)) != 0)
        effect = Effect::Unknown;  // it has failed, and need not have done all that it does
    begin(Kind::Call);
    put(site);
    put(static_cast<std::uint64_t>(effect));
    put_sized(value, bytes);
    if (effect == Effect::Told)
        write_outputs(outputs);
    else
        effects(effect, value, first, second);
}

// The places that the callee wrote, as far as its description tells.
void Recorder::effects(Effect effect, const void* value, std::uint64_t first, std::uint64_t second) {
    Range wrote{0, 0};
    std::uint64_t word = 0;
    int printed = 0;
    switch (effect) {
        case Effect::WritesString:
            wrote = {first, std::strlen(text_at(first)) + 1};
            break;
        case Effect::PrintsText:
            std::memcpy(&printed, value, sizeof printed);
            if (printed >= 0) wrote = {first, static_cast<std::uint64_t>(printed) + 1};
            break;
        case Effect::WritesPrinted:
            std::memcpy(&printed, value, sizeof printed);
            if (printed >= 0) wrote = {first, std::min<std::uint64_t>(second, static_cast<std::uint64_t>(printed) + 1)};
            break;
        case Effect::Receives:
            if (first != 0) wrote = {first, sizeof(unsigned)};
            break;
        case Effect::PartOfMessage:
            if (second != 0) wrote = {second, sizeof(unsigned)};
            break;
        case Effect::Allocates:
        case Effect::AllocatesZeros:
            std::memcpy(&word, value, sizeof word);
            // Whoever called must not take what lay there before for what lies there now.
            if (word != 0) mark(word, effect == Effect::Allocates ? first : first * second, false);
            if (word != 0) note_written(word, effect == Effect::Allocates ? first : first * second);
            break;
        case Effect::Unknown:
            open_.back().unknown_inside = true;
            forget_all();
            break;
        default:
            break;
    }
    put(wrote.second > 0 ? 1 : 0);
    if (wrote.second == 0) return;
    put(wrote.first);
    put_sized(at(wrote.first), wrote.second);
    mark(wrote.first, wrote.second, true);
    note_written(wrote.first, wrote.second);
}

void Recorder::message(Passed passed, std::uint32_t task, std::uint32_t subtask, Range place) {
    begin(Kind::Message);
    put(static_cast<std::uint64_t>(passed));
    put(task);
    put(subtask);
    put(place.first);
    put(place.second);
    if (passed != Passed::Got) return;
    mark(place.first, place.second, false);
    note_written(place.first, place.second);
}

}  // namespace flowback_log
