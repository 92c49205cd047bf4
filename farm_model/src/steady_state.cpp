#include <farm_model/steady_state.hpp>

#include <fmt/format.h>

#include <vocabulary/contract.hpp>

#include "flow.hpp"
#include "tree_walk.hpp"

namespace farm_model {
namespace {

class Solution {
public:
    Solution(const trek_kernel::FarmConfig& config, const Costs& costs)
        : rules_(config, costs), walk_(config), flows_(config.nodes), given_(config.nodes, 1) {}

    SteadyState solve() {
        for (auto node = walk_.downward.rbegin(); node != walk_.downward.rend(); ++node) solve(*node);
        give();
        SteadyState state;
        const std::size_t nodes = flows_.size();
        state.tasks_per_second = flows_[0].up.tasks;
        for (auto* list : {&state.computed, &state.forwarded, &state.busy, &state.records}) list->assign(nodes, 0);
        for (const std::uint32_t node : walk_.downward) fill(state, node);
        find_critical(state);
        return state;
    }

private:
    void solve(std::uint32_t node) {
        std::vector<Flow> below;
        for (const std::uint32_t child : walk_.children[node]) below.push_back(flows_[child].up);
        flows_[node] = node == 0 ? rules_.manager(below) : rules_.worker(walk_.level[node], below);
    }

    // From the top down: what each node is given of what it could do.
    void give() {
        for (const std::uint32_t node : walk_.downward) {
            if (node != 0) given_[node] *= flows_[node].link;
            const auto& children = walk_.children[node];
            for (std::size_t i = 0; i < children.size(); ++i) {
                const double could = flows_[children[i]].up.tasks;
                const bool splits = node != 0 && rules_.config().divides();
                const double gets = !splits     ? flows_[node].below
                                    : could > 0 ? flows_[node].forwarded * rules_.share(i, children.size()) / could
                                                : 0;
                given_[children[i]] = given_[node] * gets;
            }
        }
    }

    void fill(SteadyState& state, std::uint32_t node) const {
        const NodeFlow& flow = flows_[node];
        const double given = given_[node];
        state.computed[node] = given * flow.computed;
        state.forwarded[node] = given * flow.forwarded;
        const Costs& costs = rules_.costs();
        const double of_each = node == 0 ? costs.manager_s : rules_.config().divides() ? costs.split_s : costs.forward_s;
        state.busy[node] =
            given * (flow.relaying + flow.forwarded * of_each + (node == 0 ? 0 : flow.computed * rules_.a(walk_.level[node])));
        state.records[node] = costs.monitored() ? given / flow.link * flow.up.records : 0;
    }

    // What holds back most: the limit that the largest part of the tasks that nodes below could do is lost at. None is: the
    // workers themselves are the limit, and the one that passes most on computes least.
    void find_critical(SteadyState& state) const {
        double most = 0;
        const auto lost = [&](double tasks, double share, std::uint32_t node, const std::string& why) {
            const double here = tasks * (1 / share - 1);
            if (share >= 1 || here <= most) return;
            most = here;
            state.critical = vocabulary::NodeId(static_cast<vocabulary::NodeId::value_type>(node));
            state.reason = why;
        };
        for (const std::uint32_t node : walk_.downward) {
            const NodeFlow& flow = flows_[node];
            const double passed = state.forwarded[node];
            if (node == 0) {
                lost(passed, flow.below, node, "the manager's processor is full: it hands out and collects");
                continue;
            }
            if (!rules_.config().divides())
                lost(passed, flow.below, node, "its processor is full with passing tasks and results on, and computes nothing");
            lost(state.computed[node] + passed, flow.link, node, "its link upward is full");
        }
        if (most == 0) busiest_forwarder(state);
    }

    void busiest_forwarder(SteadyState& state) const {
        std::uint32_t top = walk_.children[0].front();
        for (const std::uint32_t node : walk_.downward) {
            if (node != 0 && state.forwarded[node] > state.forwarded[top]) top = node;
        }
        state.critical = vocabulary::NodeId(static_cast<vocabulary::NodeId::value_type>(top));
        if (rules_.config().divides()) return of_divider(state, top);
        const double share = state.forwarded[top] * rules_.costs().forward_s;
        state.reason =
            state.forwarded[top] == 0
                ? "its processor is full with computing; nothing else holds the farm back"
                : fmt::format("all workers compute all the time; of this one passing on takes {:.1f} %", share * 100);
    }

    void of_divider(SteadyState& state, std::uint32_t top) const {
        const double share = state.forwarded[top] * rules_.costs().split_s;
        state.reason = share > 0.999 ? "its processor is full with splitting and joining"
                       : share == 0  ? "its processor is full with computing, and nothing is split"
                                     : fmt::format(
                                           "its children take no more sub-tasks; of its processor splitting and joining take "
                                            "{:.1f} %",
                                           share * 100);
    }

    FlowRules rules_;
    TreeWalk walk_;
    std::vector<NodeFlow> flows_;
    std::vector<double> given_;
};

}  // namespace

SteadyState steady_state(const trek_kernel::FarmConfig& config, const Costs& costs) {
    EXPECTS(config.members().size() > 1, "farm_model.steady_state.no_worker");
    return Solution(config, costs).solve();
}

}  // namespace farm_model
