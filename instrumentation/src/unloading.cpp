#include <instrumentation/unloading.hpp>

#include <algorithm>

namespace instrumentation {

bool StaticUnloading::unload(const BufferState& state) {
    const UnloadCommand& bounds = sequence_.at(state.clock_us);
    if (state.records > std::min<std::size_t>(bounds.upper, state.room)) return true;
    return state.records > bounds.lower && state.processor_idle && state.links_idle;
}

std::size_t StaticUnloading::limit(std::uint64_t clock_us, std::size_t room) const {
    return std::min<std::size_t>(sequence_.at(clock_us).upper, room);
}

bool AdaptiveUnloading::unload(const BufferState& state) {
    if (state.records > limit(state.clock_us, state.room)) return true;
    return state.processor_load * 100 <= bounds_.processor_percent && state.link_load * 100 <= bounds_.link_percent;
}

// One of the two buffers is full.
std::size_t AdaptiveUnloading::limit(std::uint64_t, std::size_t room) const {
    return room / 2 > 0 ? room / 2 - 1 : 0;
}

std::unique_ptr<UnloadPolicy> make_unloading(const MonitorSettings& settings, vocabulary::NodeId node) {
    if (settings.unload_policy) return settings.unload_policy(node);
    if (settings.unload) return std::make_unique<StaticUnloading>(*settings.unload);
    return std::make_unique<AdaptiveUnloading>(settings.adaptive);
}

}  // namespace instrumentation
