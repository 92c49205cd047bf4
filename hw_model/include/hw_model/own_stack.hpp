// OwnStack: code of an Activity that is ordinary host-compiled code on its own stack in the Node's Arena (Boost.Context). Each
// demand gives the processor back until it is met. Cost: two stack switches a demand, about 20 ns, and the memory that a stack
// touches, at least a page.
//
// Destroying it before its code has ended unwinds its stack by an exception. The code must not swallow it. A demand of a
// destructor meanwhile cannot be met: that destructor does not go on, and what is left of the stack is given up.
#pragma once

#include <functional>
#include <memory>

#include <boost/context/fiber.hpp>

#include <hw_model/activity.hpp>
#include <hw_model/arena.hpp>

namespace hw_model {

class OwnStack {
public:
    static constexpr const char* no_place = "all places of the node for processes are in use";

    // Throws std::length_error when the arena has no place left. `code` runs when the processor first dispatches the Activity.
    OwnStack(Arena& arena, std::function<void()> code);
    ~OwnStack();
    OwnStack(const OwnStack&) = delete;
    OwnStack& operator=(const OwnStack&) = delete;

    // Runs the code until its next demand: Activity::resume().
    Demand resume();
    // For its own code only: returns when the demand is met.
    void demand(Demand what);

private:
    boost::context::fiber run_code(boost::context::fiber&& scheduler);
    [[noreturn]] void give_up();
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
    boost::context::detail::fcontext_t destroyer_ = nullptr;  // who waits for the end of the unwinding
    bool given_up_ = false;
    std::function<void()> code_;
    Arena& arena_;
};

}  // namespace hw_model
