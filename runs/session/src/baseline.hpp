// Baseline: what links and nodes of a machine have done so far, so that a later phase tells its own part alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <hw_model/totals.hpp>
#include <session/simulated.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace session {

struct Baseline {
    // `lines`: of link_lines() now.
    Baseline(trollius_hosted::Multicomputer& box, const std::vector<LinkLine>& lines);

    // Takes the part before away. Lines of links without traffic in this phase and without a partner now are removed.
    void take_from(std::vector<LinkLine>& lines, const trollius_hosted::Multicomputer& box) const;
    void take_from(hw_model::ProcessorTotals& totals, vocabulary::SimTime& kernel_monitor_time, vocabulary::NodeId node) const;

    std::uint64_t events_fired = 0, dropped_by_host = 0;
    std::size_t orders = 0, lost = 0;            // of the Reconfigurer
    std::vector<std::uint32_t> dropped_by_node;  // as the nodes have told, in all phases before
    std::uint64_t application_bytes = 0;         // over all links

private:
    struct Node {
        hw_model::ProcessorTotals totals;
        vocabulary::SimTime kernel_monitor_time;
    };
    std::map<std::string, hw_model::LinkTotals> links_;  // by `from`
    std::vector<Node> nodes_;
};

}  // namespace session
