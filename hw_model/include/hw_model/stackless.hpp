// Stackless: code of an Activity that is a coroutine. It has no stack of its own: what it keeps over a wait lies in the frames
// of its coroutines, mostly some hundred bytes. It runs on the stack of whoever runs the processor. Cost: one indirect jump a
// demand.
#pragma once

#include <coroutine>
#include <functional>

#include <coroutines/task.hpp>
#include <hw_model/activity.hpp>

namespace hw_model {

class Stackless {
public:
    // `code` runs when the processor first dispatches the Activity.
    explicit Stackless(std::function<coroutines::Task<>()> code) : code_(std::move(code)) {}

    // Runs the code until its next demand: Activity::resume().
    Demand resume();
    // For awaitables of its own code: the demand, and the coroutine that waits for it.
    void demand(Demand what) {
        EXPECTS(demand_.kind == Demand::Kind::End, "stackless.demand.not_awaited");
        demand_ = what;
    }
    void wait_in(std::coroutine_handle<> innermost) { innermost_ = innermost; }
    // A wait that ends only when `flag` is true; other wakes do not reach the code.
    void wait_until(const bool& flag) {
        demand({Demand::Kind::Wait, false, {}, {}});
        until_ = &flag;
    }

private:
    std::coroutine_handle<> innermost_;
    Demand demand_;
    const bool* until_ = nullptr;
    std::function<coroutines::Task<>()> code_;  // outlives the frames, which may refer to what it has captured
    coroutines::Task<> outermost_;
};

}  // namespace hw_model
