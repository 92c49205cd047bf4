#include <isolation/readings.hpp>

#include <algorithm>

namespace isolation {

using farm_programs::Reading;

Readings::Readings(const tmon_streams::Trace& trace) {
    for (const tmon_streams::Stream& stream : trace.streams) {
        for (const auto part : stream.in_passing()) {
            for (const auto& event : part) {
                if (event.kind != trace_record::EventKind::User) continue;
                const auto reading = farm_programs::reading_of(event.task);
                const std::uint64_t value = std::uint64_t{event.bytes} << 32 | event.subtask;
                if (reading) by_process_[{stream.node, reading->function}].add(reading->what, value);
            }
        }
        const bool lossy = std::any_of(stream.losses.begin(), stream.losses.end(),
                                       [](const auto& loss) { return loss.classes.has(trace_record::EventClass::User); });
        for (auto& [whose, readings] : by_process_)
            if (lossy && whose.first == stream.node) readings.lose();
    }
}

ReadingsOfProcess Readings::of(std::uint16_t node, farm_programs::Function function) const {
    const auto found = by_process_.find({node, function});
    return found == by_process_.end() ? ReadingsOfProcess() : found->second;
}

std::optional<std::uint64_t> ReadingsOfProcess::next(Reading what) {
    if (at_ == list_.size() || list_[at_].first != what) return std::nullopt;
    return list_[at_++].second;
}

std::optional<std::uint64_t> ReadingsOfProcess::clock() {
    return next(Reading::Clock);
}

std::optional<std::size_t> ReadingsOfProcess::input(std::span<std::byte> room) {
    const auto bytes = next(Reading::InputLength);
    if (!bytes || *bytes > room.size()) return std::nullopt;
    for (std::size_t at = 0; at < *bytes; ++at) {
        const bool begins = at % sizeof(std::uint64_t) == 0;
        if (begins && (at_ == list_.size() || list_[at_].first != Reading::InputBytes)) return std::nullopt;
        if (begins) ++at_;
        room[at] = static_cast<std::byte>(list_[at_ - 1].second >> 8 * (at % sizeof(std::uint64_t)) & 0xFFU);
    }
    return static_cast<std::size_t>(*bytes);
}

}  // namespace isolation
