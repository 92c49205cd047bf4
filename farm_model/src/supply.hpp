// Whether the workers are always supplied. A worker has 1 + b places for tasks (b buffers and the one it computes), and a task
// is handed out for each free place. While the next one is on its way the place is empty. By Little's law
//
//     X = sum over the workers of  V_i * (time from n0 to i and back)
//
// places are empty on average, whatever the order. Who is nearer takes what passes by first, so a worker with s workers in its
// subtree (itself counted), past whom s tasks go while it computes one, has an empty place for about 1/s of that time and loses
// nothing; what empty places remain are at the ends of the tree, where they leave processors without work. So many workers are
// lost:
//
//     L = l / (1 + delta l' / W),   l = kappa (X - phi b^0.8 * sum of 1/s) / (1 + b),   l' = kappa X / (1 + b)
//
// out of W, nothing where l < 0. The denominator: those that are lost are the farthest, so that X shrinks faster than the rate.
// The form is reasoned; the four constants are fitted, once, to 106 chains of this model (4 to 31 workers, 0.2 to 10 ms, 1,
// 2 and 4 buffers), to 1.2 % on average and 3.2 % at most. Trees have so many ends that they lose nothing. docs/prediction.md.
#pragma once

#include <farm_model/steady_state.hpp>

namespace farm_model {

struct Supply {
    double under_way = 0;     // X
    double workers_lost = 0;  // L
};

// Of a processor farm. Scales `state` down to what the supply allows: the farthest workers lose first.
Supply limit_by_supply(const trek_kernel::FarmConfig& config, const Costs& costs, SteadyState& state);

}  // namespace farm_model
