// Coroutine: an Activity without a stack (stackless.hpp). Its code awaits use(), wait() and yield(), each of which gives the
// processor back until the demand is met. Code that calls deep, or that a user writes, is a Fiber instead.
#pragma once

#include <functional>

#include <hw_model/stackless.hpp>
#include <vocabulary/contract.hpp>

namespace hw_model {

class Coroutine : public Activity {
public:
    class Demanded {
    public:
        Demanded(Stackless& code, bool over) : code_(code), over_(over) {}
        bool await_ready() const noexcept { return over_; }
        void await_suspend(std::coroutine_handle<> waiting) const noexcept { code_.wait_in(waiting); }
        void await_resume() const noexcept {}

    private:
        Stackless& code_;
        bool over_;
    };

    // `code` runs when the processor first dispatches the Coroutine.
    Coroutine(Priority priority, std::function<coroutines::Task<>()> code) : Activity(priority), code_(std::move(code)) {}

    // For its own code only, and to be awaited.
    [[nodiscard]] Demanded use(vocabulary::Cycles cycles, bool loop = false,
                               LongInstruction long_instruction = LongInstruction::No) {
        EXPECTS(cycles.count() >= 0, "coroutine.use.negative");
        if (cycles.count() == 0) return {code_, true};
        return demand({Demand::Kind::Use, loop, long_instruction, cycles});
    }
    [[nodiscard]] Demanded wait() { return demand({Demand::Kind::Wait, false, {}, {}}); }
    [[nodiscard]] Demanded yield() { return demand({Demand::Kind::Yield, false, {}, {}}); }

protected:
    Demand resume() override { return code_.resume(); }

private:
    Demanded demand(Demand what) {
        code_.demand(what);
        return {code_, false};
    }
    Stackless code_;
};

}  // namespace hw_model
