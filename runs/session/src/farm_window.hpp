// FarmWindow: counts the farm's messages and results, and the processors' work from the first task until the farm ended or
// fell silent. Booting, loading, waiting in vain and the final state query are excluded. It takes no modelled time and decides
// nothing.
#pragma once

#include <vector>

#include <hw_model/machine.hpp>
#include <session/session.hpp>
#include <trek_kernel/witness.hpp>

namespace session {

class FarmWindow final : public trek_kernel::Witness {
public:
    FarmWindow(hw_model::Machine& machine, const farm_spec::FarmSpec& farm);

    void on_moved(const trek_kernel::TaskMoved& what, vocabulary::SimTime when) override;
    void on_step(const trek_kernel::TaskStep& what, vocabulary::SimTime when) override;
    void on_bug(const trek_kernel::BugStruck&, vocabulary::SimTime when) override { counts_.last_step = when; }
    void on_given_up(const trek_kernel::NodeGivenUp&, vocabulary::SimTime when) override { counts_.last_step = when; }
    void on_reissued(const trek_kernel::TaskReissued&, vocabulary::SimTime when) override { counts_.last_step = when; }
    void on_finished(vocabulary::NodeId node, vocabulary::SimTime when) override;

    // Call from time to time while the farm runs. When nothing happened between two calls, it keeps the processors' state
    // until something does.
    void look();
    const FarmCounts& counts() const { return counts_; }
    // Fills farm_high and farm_low, counted from the move of the first task. The count stops when the node ended or, failing
    // that, when the farm fell silent for good.
    void tell(vocabulary::NodeId node, NodeLine& line) const;
    // End of the time that tell() counts, on the last node.
    vocabulary::SimTime end() const;

private:
    struct Busy {
        vocabulary::SimTime high, low;
    };
    void begin();
    void on_rank(bool has_ended, vocabulary::SimTime when);
    Busy now(vocabulary::NodeId node) const;

    hw_model::Machine& machine_;
    const bool is_farm_, is_mpi_;    // neither: a halo
    const std::uint32_t exchanges_;  // of a halo
    const std::vector<vocabulary::NodeId> members_;
    FarmCounts counts_;
    bool began_ = false;
    vocabulary::SimTime looked_at_, last_end_, silent_since_;  // looked_at_: the last step at the last look
    bool silent_ = false;
    struct Node {
        Busy first, last;
        bool ended = false;
    };
    std::vector<Node> nodes_;  // index: NodeId
};

}  // namespace session
