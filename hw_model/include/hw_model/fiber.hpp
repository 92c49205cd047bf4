// Fiber: an Activity that is ordinary host-compiled code on its own stack in the Node's Arena (Boost.Context). The code calls
// use(), wait() and yield(), each of which gives the processor back until the demand is met. Cost: two stack switches a demand,
// about 20 ns.
//
// Destroying a Fiber before its code has ended unwinds its stack by an exception. The code must not swallow it.
#pragma once

#include <functional>
#include <memory>

#include <boost/context/fiber.hpp>

#include <hw_model/activity.hpp>
#include <hw_model/arena.hpp>

namespace hw_model {

class Fiber : public Activity {
public:
    // Throws std::length_error when the arena has no stack left. `code` runs when the processor first dispatches the Fiber.
    Fiber(Priority priority, Arena& arena, std::function<void()> code);
    ~Fiber() override;

    // For the fiber's own code only.
    void use(vocabulary::Cycles cycles, bool loop = false, LongInstruction long_instruction = LongInstruction::No);
    void wait() { demand({Demand::Kind::Wait, false, {}, {}}); }
    void yield() { demand({Demand::Kind::Yield, false, {}, {}}); }

protected:
    Demand resume() override;

private:
    void demand(Demand what);
    boost::context::fiber run_code(boost::context::fiber&& scheduler);
    void check_stack() const;

    // Members that every switch touches come first, in as few of the host's cache lines as possible.
    boost::context::fiber code_side_, scheduler_side_;
    Demand demand_;
    bool failed_ = false;
    std::byte* stack_;
    const void* scheduler_stack_ = nullptr;  // AddressSanitizer's bookkeeping, like the three below
    std::size_t scheduler_stack_bytes_ = 0;
    void *fake_stack_code_ = nullptr, *fake_stack_scheduler_ = nullptr;
    std::exception_ptr failure_;
    std::function<void()> code_;
    Arena& arena_;
};

}  // namespace hw_model
