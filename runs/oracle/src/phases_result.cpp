#include <oracle/phases_result.hpp>

namespace oracle {
namespace {

// The kernels live through all phases; what they drop belongs to the truth of the phase that has the machine.
class Relay final : public trollius_os::Witness {
public:
    void set(trollius_os::Witness& now) { now_ = &now; }
    void on_event(const trollius_os::KernelEvent& event, const trollius_os::Process& process,
                  vocabulary::SimTime when) override {
        now_->on_event(event, process, when);
    }
    void on_dropped(const trollius_os::MessageDropped& what) override { now_->on_dropped(what); }
    void on_packet(const trollius_os::PacketArrived& what) override { now_->on_packet(what); }

private:
    trollius_os::Witness* now_ = nullptr;
};

}  // namespace

void run_phases(const scenario::Scenario& scenario, PhasesResult& result, const session::SessionHooks& hooks) {
    ground_truth::Truth whole(false);
    Relay relay;
    std::vector<session::Phase> phases;
    for (const scenario::Scenario& one : scenario.phases) {
        PhaseResult& its = result.phases.emplace_back();
        session::SessionHooks own = hooks;
        own.witnesses = {&its.result.truth, &whole};
        own.kernel_witnesses = {&relay, &whole};
        phases.push_back({one, its.result.observed, its.result.simulated, std::move(own)});
    }
    session::run_phases(phases, [&](std::size_t phase) { relay.set(result.phases[phase].result.truth); });
    for (std::size_t i = 0; i < phases.size(); ++i) {
        result.phases[i].begun = phases[i].begun;
        result.phases[i].times = phases[i].times;
        result.phases[i].reconfigured = std::move(phases[i].reconfigured);
    }
    result.run_hash = whole.run_hash();
}

}  // namespace oracle
