// The loss of rate because tasks are on their way. A worker has 1 + b places for tasks (b buffers and the one it computes), and
// each free place asks for a task. The place is empty until the task arrives. By Little's law
//
//     X = sum over the workers of  V_i * (time from n0 to i and back)
//
// places are empty on average, whatever the order. A nearer worker takes passing tasks first. Past a worker with s workers in
// its subtree (itself included) go s tasks while it computes one. So it has an empty place for about 1/s of that time, and
// loses nothing. The other empty places are at the ends of the tree, where processors run out of work. The number of workers
// lost is
//
//     L = l / (1 + delta l' / W),   l = kappa (X - phi b^0.8 * sum of 1/s) / (1 + b),   l' = kappa X / (1 + b)
//
// out of W, and 0 for l < 0. The denominator: the lost workers are the farthest, so X shrinks faster than the rate. The form is
// reasoned. The four constants are fitted once, to 106 chains of this model (4 to 31 workers, 0.2 to 10 ms, 1, 2 and 4
// buffers). They fit to 1.2 % on average and 3.2 % at most. Trees have so many ends that they lose nothing
// (docs/model/prediction.md).
#pragma once

#include <farm_model/steady_state.hpp>

namespace farm_model {

struct Supply {
    double under_way = 0;     // X
    double workers_lost = 0;  // L
};

// For a processor farm: scales `state` down to the rate that the supply allows. The farthest workers lose first.
Supply limit_by_supply(const farm_spec::FarmSpec& config, const Costs& costs, SteadyState& state);

}  // namespace farm_model
