// The two unload policies: the static sequence of Tmon-de, and the loads of the node as in Tmon.
#pragma once

#include <memory>

#include <instrumentation/monitor_settings.hpp>
#include <instrumentation/unload_policy.hpp>
#include <instrumentation/unload_sequence.hpp>

namespace instrumentation {

// Thesis, section 5.3.3.
class StaticUnloading final : public UnloadPolicy {
public:
    explicit StaticUnloading(UnloadSequence sequence) : sequence_(std::move(sequence)) {}
    bool unload(const BufferState& state) override;
    std::size_t limit(std::uint64_t clock_us, std::size_t room) const override;

private:
    UnloadSequence sequence_;
};

// Thesis, section 5.3.2: when both loads are at most the set ones, and whenever a buffer is full.
class AdaptiveUnloading final : public UnloadPolicy {
public:
    explicit AdaptiveUnloading(AdaptiveReporting bounds) : bounds_(bounds) {}
    bool unload(const BufferState& state) override;
    std::size_t limit(std::uint64_t clock_us, std::size_t room) const override;

private:
    AdaptiveReporting bounds_;
};

// The user's policy, or the one in the settings.
std::unique_ptr<UnloadPolicy> make_unloading(const MonitorSettings& settings, vocabulary::NodeId node);

}  // namespace instrumentation
