#include "supply.hpp"

#include <algorithm>
#include <cmath>

#include "tree_walk.hpp"

namespace farm_model {
namespace {

constexpr double phi = 0.45, power = 0.8, kappa = 0.8, delta = 4;

class SupplyOf {
public:
    SupplyOf(const farm_spec::FarmSpec& config, const Costs& costs, SteadyState& state)
        : walk_(config), state_(state), buffers_(config.buffers) {
        std::vector<double> size(config.nodes, 1);
        for (auto node = walk_.downward.rbegin(); node != walk_.downward.rend(); ++node) {
            for (const std::uint32_t child : walk_.children[*node]) size[*node] += size[child];
            if (*node == 0) continue;
            inverse_sizes_ += 1 / size[*node];
            const double way = static_cast<double>(walk_.level[*node] + 1) * (costs.hop_down_s + costs.hop_up_s);
            under_way_ += state.computed[*node] * way;
        }
    }

    Supply limit() {
        const auto workers = static_cast<double>(walk_.downward.size() - 1);
        const double free = phi * std::pow(buffers_, power) * inverse_sizes_;
        const double share = kappa / (1 + buffers_);
        Supply supply{under_way_, 0};
        if (under_way_ <= free) return supply;
        supply.workers_lost = share * (under_way_ - free) / (1 + delta * share * under_way_ / workers);
        supply.under_way *= 1 - supply.workers_lost / workers;
        take_from_the_ends(state_.tasks_per_second * supply.workers_lost / workers);
        return supply;
    }

private:
    // `lost` tasks a second fewer, taken from the farthest workers; all nodes that pass them on have less to do.
    void take_from_the_ends(double lost) {
        state_.tasks_per_second -= lost;
        state_.forwarded[0] -= lost;
        std::vector<double> less(state_.computed.size(), 0);
        for (auto node = walk_.downward.rbegin(); node != walk_.downward.rend() && lost > 0; ++node) {
            if (*node == 0) continue;
            less[*node] = std::min(lost, state_.computed[*node]);
            const double share = state_.computed[*node] > 0 ? 1 - less[*node] / state_.computed[*node] : 1;
            state_.computed[*node] -= less[*node];
            state_.busy[*node] *= share;
            lost -= less[*node];
        }
        for (auto node = walk_.downward.rbegin(); node != walk_.downward.rend(); ++node) {
            for (const std::uint32_t child : walk_.children[*node]) {
                if (*node != 0) state_.forwarded[*node] -= less[child];
                less[*node] += less[child];
            }
        }
    }

    TreeWalk walk_;
    SteadyState& state_;
    double buffers_, inverse_sizes_ = 0, under_way_ = 0;
};

}  // namespace

Supply limit_by_supply(const farm_spec::FarmSpec& config, const Costs& costs, SteadyState& state) {
    return SupplyOf(config, costs, state).limit();
}

}  // namespace farm_model
