// The recursion of the steady state for one node: the rate of its tree, itself included, from the rates of its children.
#pragma once

#include <cstddef>
#include <span>

#include <farm_model/costs.hpp>
#include <farm_spec/farm_spec.hpp>

namespace farm_model {

// Each message pair makes a record at both of its ends: one for the task in, one for its result out. Forwarding it makes the
// same number again below (docs/decisions/0006).
inline constexpr double records_of_computing = 2, records_of_forwarding = 4;

// The flow per second out of a subtree, over its link upward.
struct Flow {
    double tasks = 0;    // lam_i: results, and as many tasks come down
    double records = 0;  // records of its nodes' probes
};

struct NodeFlow {
    Flow up;
    double computed = 0;   // V_i: tasks a second computed here
    double forwarded = 0;  // F_i: tasks a second forwarded (processor farm) or split (divide and conquer)
    double below = 1;      // share of the children's possible rate that they get (processor farm)
    double link = 1;       // share of the subtree's possible rate that its link upward carries
    double relaying = 0;   // share of the processor for other nodes' records
};

class FlowRules {
public:
    // Both must outlive this.
    FlowRules(const farm_spec::FarmSpec& config, const Costs& costs) : config_(config), costs_(costs) {}

    // `level`: splits between the manager's task and one here. `children` in ascending order of their numbers.
    NodeFlow worker(std::size_t level, std::span<const Flow> children) const;
    NodeFlow manager(std::span<const Flow> children) const;
    // Number of sub-tasks of a split for the child with this index among `children`.
    double share(std::size_t child, std::size_t children) const;
    bool in_turn() const { return config_.policy == farm_spec::Policy::RoundRobin; }
    bool splits(std::size_t level, std::size_t children) const;
    double a(std::size_t level) const { return costs_.compute(level) + costs_.execute_s; }
    const Costs& costs() const { return costs_; }
    const farm_spec::FarmSpec& config() const { return config_; }

private:
    Flow together(std::span<const Flow> children) const;
    NodeFlow forwarder(std::size_t level, std::span<const Flow> children) const;
    NodeFlow divider(std::size_t level, std::span<const Flow> children) const;
    const farm_spec::FarmSpec& config_;
    const Costs& costs_;
};

}  // namespace farm_model
