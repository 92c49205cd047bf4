// Fiber: an Activity with a stack of its own (own_stack.hpp). The code calls use(), wait() and yield(), each of which gives the
// processor back until the demand is met.
#pragma once

#include <functional>

#include <hw_model/own_stack.hpp>
#include <vocabulary/contract.hpp>

namespace hw_model {

class Fiber : public Activity {
public:
    // Throws std::length_error when the arena has no place left. `code` runs when the processor first dispatches the Fiber.
    Fiber(Priority priority, Arena& arena, std::function<void()> code) : Activity(priority), code_(arena, std::move(code)) {}

    // For the fiber's own code only.
    void use(vocabulary::Cycles cycles, bool loop = false, LongInstruction long_instruction = LongInstruction::No) {
        EXPECTS(cycles.count() >= 0, "fiber.use.negative");
        if (cycles.count() > 0) code_.demand({Demand::Kind::Use, loop, long_instruction, cycles});
    }
    void wait() { code_.demand({Demand::Kind::Wait, false, {}, {}}); }
    void yield() { code_.demand({Demand::Kind::Yield, false, {}, {}}); }

protected:
    Demand resume() override { return code_.resume(); }

private:
    OwnStack code_;
};

}  // namespace hw_model
