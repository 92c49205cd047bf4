// Outside: when somebody who is no node can act on one: a fault of a plan strikes, or a SystemC model moves a pin. Whoever runs
// ahead of the Timeline stops there, so that the act meets the state of its moment. A caller of Machine::run_until() that acts
// on a node when it returns says so before, with expect().
// Cost: O(log n) for a moment that is expected, a comparison for a look.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include <vocabulary/sim_time.hpp>

namespace hw_model {

class Outside {
public:
    void expect(vocabulary::SimTime when) { moments_.push(when); }
    // Nothing that was not expected comes before this moment.
    void nothing_before(vocabulary::SimTime when) { nothing_before_ = when; }
    // Any event of the Timeline can bring such an act. Faults that wait for a step of a program do so. So do nodes that raise
    // the interrupt line, and SystemC models that watch pins.
    void with_any_event() { with_any_event_ = true; }
    bool comes_with_any_event() const { return with_any_event_; }

    // The next such moment, `now` included.
    vocabulary::SimTime next(vocabulary::SimTime now) {
        while (!moments_.empty() && moments_.top() < now) moments_.pop();
        const vocabulary::SimTime other = std::max(now, nothing_before_);
        return moments_.empty() ? other : std::min(moments_.top(), other);
    }

private:
    std::priority_queue<vocabulary::SimTime, std::vector<vocabulary::SimTime>, std::greater<>> moments_;
    vocabulary::SimTime nothing_before_ = vocabulary::SimTime::never();
    bool with_any_event_ = false;
};

}  // namespace hw_model
