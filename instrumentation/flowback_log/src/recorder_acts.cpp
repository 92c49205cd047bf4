// The recorder's part for libraries: answers of a call, and the data that it moved.
#include <flowback_log/recorder.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "address.hpp"

namespace flowback_log {
namespace {

// A difference as a number that is small for both signs.
std::uint64_t zigzag(std::uint64_t difference) {
    const auto its = static_cast<std::int64_t>(difference);
    return static_cast<std::uint64_t>(its) << 1U ^ static_cast<std::uint64_t>(its >> 63U);
}

}  // namespace

// Each piece by its distance from the end of the one before, which may be negative.
void Recorder::put(std::span<const Range> pieces) {
    put(pieces.size());
    std::uint64_t last = 0;
    for (const auto& [address, bytes] : pieces) {
        put(zigzag(address - last));
        put(bytes);
        last = address + bytes;
    }
}

// A call may be made inside another, by a function that the library calls.
std::vector<Range> Recorder::take_outputs() {
    std::vector<Range> taken;
    while (!outputs_.empty() && outputs_.back().first >= open_.size()) {
        if (outputs_.back().first == open_.size()) taken.push_back(outputs_.back().second);
        outputs_.pop_back();
    }
    std::reverse(taken.begin(), taken.end());
    return taken;
}

void Recorder::write_outputs(const std::vector<Range>& outputs) {
    put(outputs.size());
    for (const auto& [address, bytes] : outputs) {
        put(address);
        put_sized(at(address), bytes);
        mark(address, bytes, true);
        note_written(address, bytes);
    }
}

void Recorder::output(std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint64_t first_page = 4096;  // special values of pointers
    if (open_.empty() || address < first_page || ~address < first_page) return;
    const std::uint64_t all = bytes != Access::text ? bytes : std::strlen(text_at(address)) + 1;
    outputs_.push_back({open_.size(), {address, all}});
}

void Recorder::act(const Act& its) {
    if (its.kind == ActKind::Function) {
        in_function_ = true;
        entered_before_ = entered_;
        return;
    }
    // A function that is prepared has a log of its own.
    if (its.kind == ActKind::Combined && std::exchange(in_function_, false) && entered_ != entered_before_) return;
    begin(Kind::Act);
    for (const std::uint32_t number :
         {static_cast<std::uint32_t>(its.kind), its.peer, its.flow, its.tag, its.context, its.operation})
        put(number);
    put(its.from);
    put(its.to);
    for (const auto& [address, bytes] : its.to) {
        mark(address, bytes, false);
        note_written(address, bytes);
    }
}

}  // namespace flowback_log
