#include <farm_model/steady_state.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <vocabulary/contract.hpp>

#include "flow.hpp"
#include "tree_walk.hpp"

namespace farm_model {
namespace {

class Solution {
public:
    Solution(const farm_spec::FarmSpec& config, const Costs& costs)
        : rules_(config, costs), walk_(config), flows_(config.nodes), given_(config.nodes, 0) {}

    SteadyState solve() {
        for (auto node = walk_.downward.rbegin(); node != walk_.downward.rend(); ++node) solve(*node);
        SteadyState state;
        const std::size_t nodes = flows_.size();
        state.tasks_per_second = flows_[0].up.tasks;
        for (auto* list : {&state.computed, &state.forwarded, &state.busy, &state.records}) list->assign(nodes, 0);
        give(state);
        find_critical(state);
        return state;
    }

private:
    void solve(std::uint32_t node) {
        std::vector<Flow> below;
        for (const std::uint32_t child : walk_.children[node]) below.push_back(flows_[child].up);
        flows_[node] = node == 0 ? rules_.manager(below) : rules_.worker(walk_.level[node], below);
    }

    // From the top down: the tasks a second that each node gets, computes and passes on.
    void give(SteadyState& state) {
        for (const std::uint32_t node : walk_.downward) {
            if (node == 0) {
                state.forwarded[0] = given_[0] = flows_[0].up.tasks;
            } else if (rules_.config().divides()) {
                divide(state, node);
            } else {
                take_and_pass_on(state, node);
            }
            const auto& children = walk_.children[node];
            double could = 0;
            for (const std::uint32_t child : children) could += flows_[child].up.tasks;
            for (std::size_t i = 0; i < children.size(); ++i) {
                const bool splits = node != 0 && rules_.config().divides();
                const double part = splits             ? rules_.share(i, children.size())
                                    : rules_.in_turn() ? 1 / static_cast<double>(children.size())
                                    : could > 0        ? flows_[children[i]].up.tasks / could
                                                       : 0;
                given_[children[i]] = state.forwarded[node] * part;
            }
            fill(state, node);
        }
    }

    // A worker computes as much as its processor can beside passing on the rest: V a + (tasks - V) bf = 1. Where fewer tasks
    // come than possible, it takes them first, and the nodes below go without.
    void take_and_pass_on(SteadyState& state, std::uint32_t node) const {
        const double tasks = given_[node], bf = rules_.costs().forward_s, a = rules_.a(walk_.level[node]);
        const double left = 1 - tasks * bf - flows_[node].relaying;
        const double most = a > bf ? std::max(0.0, left) / (a - bf) : flows_[node].computed;
        state.computed[node] = walk_.children[node].empty() ? tasks : std::min(tasks, most);
        state.forwarded[node] = tasks - state.computed[node];
    }

    void divide(SteadyState& state, std::uint32_t node) const {
        const NodeFlow& flow = flows_[node];
        const double could = flow.computed + flow.forwarded;
        state.computed[node] = given_[node] * flow.computed / could;
        state.forwarded[node] = given_[node] * flow.forwarded / could;
    }

    void fill(SteadyState& state, std::uint32_t node) const {
        const NodeFlow& flow = flows_[node];
        const Costs& costs = rules_.costs();
        const double given = flow.up.tasks > 0 ? given_[node] / flow.up.tasks : 0;
        const double of_each = node == 0 ? costs.manager_s : rules_.config().divides() ? costs.split_s : costs.forward_s;
        state.busy[node] = std::min(1.0, given * flow.relaying + state.forwarded[node] * of_each +
                                             (node == 0 ? 0 : state.computed[node] * rules_.a(walk_.level[node])));
        state.records[node] = costs.monitored() ? given * flow.up.records : 0;
    }

    // The strongest limit: it loses the largest part of the tasks that nodes below it could do. Without one, the workers
    // themselves are the limit, and the worker that passes on most computes least.
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
                lost(passed, flow.below, node, "its processor passes on tasks and results all the time and computes nothing");
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
                ? "its processor computes all the time; nothing else limits the farm"
                : fmt::format("all workers compute all the time; passing on takes {:.1f} % of this one", share * 100);
    }

    void of_divider(SteadyState& state, std::uint32_t top) const {
        const double share = state.forwarded[top] * rules_.costs().split_s;
        state.reason =
            share > 0.999 ? "its processor splits and joins all the time"
            : share == 0
                ? "its processor computes all the time, and nothing is split"
                : fmt::format("its children take no more sub-tasks; splitting and joining take {:.1f} % of its processor",
                              share * 100);
    }

    FlowRules rules_;
    TreeWalk walk_;
    std::vector<NodeFlow> flows_;
    std::vector<double> given_;  // tasks a second, by node
};

}  // namespace

SteadyState steady_state(const farm_spec::FarmSpec& config, const Costs& costs) {
    EXPECTS(config.members().size() > 1, "farm_model.steady_state.no_worker");
    return Solution(config, costs).solve();
}

}  // namespace farm_model
