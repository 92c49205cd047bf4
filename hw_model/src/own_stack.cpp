#include <hw_model/own_stack.hpp>

#include <cxxabi.h>
#include <exception>
#include <stdexcept>
#include <utility>

#include <vocabulary/contract.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define MAGICWIRE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAGICWIRE_ASAN 1
#endif
#endif
#ifdef MAGICWIRE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace hw_model {
namespace {

[[maybe_unused]] constexpr std::size_t stack_reserve =
    4096;  // host code that a program calls into (printing, libraries) needs some below the check

// AddressSanitizer must be told of every change of stack, or it takes the other stack for corrupted memory.
void leaving([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* to, [[maybe_unused]] std::size_t bytes) {
#ifdef MAGICWIRE_ASAN
    __sanitizer_start_switch_fiber(fake_stack, to, bytes);
#endif
}
void arrived([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** from, [[maybe_unused]] std::size_t* bytes) {
#ifdef MAGICWIRE_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, from, bytes);
#endif
}

// A stack that was given up has left marks of its variables.
void unmark([[maybe_unused]] const void* stack, [[maybe_unused]] std::size_t bytes) {
#ifdef MAGICWIRE_ASAN
    __asan_unpoison_memory_region(stack, bytes);
#endif
}

// The thread's counts of exceptions, as the C++ ABI lays them out. An exception on a stack that is given up is never caught.
struct ExceptionCounts {
    void* caught;
    unsigned int uncaught;
};
ExceptionCounts& exception_counts() {
    return *reinterpret_cast<ExceptionCounts*>(abi::__cxa_get_globals());
}

// The stack belongs to the Arena; Boost only borrows it.
struct BorrowedStack {
    void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

OwnStack::OwnStack(Arena& arena, std::function<void()> code)
    : stack_(arena.take_stack()), code_(std::move(code)), arena_(arena) {
    if (stack_ == nullptr) throw std::length_error(no_place);
    boost::context::stack_context context;
    context.size = Arena::host_stack_bytes - arena.stack_colour(stack_);
    context.sp = stack_ + context.size;
    code_side_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(context.sp, context.size, context),
                                       BorrowedStack{},
                                       [this](boost::context::fiber&& scheduler) { return run_code(std::move(scheduler)); });
}

OwnStack::~OwnStack() {
    if (stack_ == nullptr) return;
    const ExceptionCounts before = exception_counts();
    leaving(&fake_stack_scheduler_, stack_, Arena::host_stack_bytes);
    code_side_ = {};  // unwinds the rest of the stack
    arrived(fake_stack_scheduler_, nullptr, nullptr);
    if (given_up_) {
        exception_counts() = before;
        unmark(stack_, Arena::host_stack_bytes);
    }
    arena_.give_back_stack(stack_);
}

boost::context::fiber OwnStack::run_code(boost::context::fiber&& scheduler) {
    arrived(nullptr, &scheduler_stack_, &scheduler_stack_bytes_);
    scheduler_side_ = std::move(scheduler);
    try {
        code_();
    } catch (const boost::context::detail::forced_unwind&) {
        leaving(nullptr, scheduler_stack_, scheduler_stack_bytes_);
        throw;
    } catch (...) {
        failed_ = true;
        failure_ = std::current_exception();  // goes on in the scheduler's context, as if the processor had called the code
    }
    if (destroyer_ != nullptr) give_up();  // it has swallowed the exception
    demand_ = {Demand::Kind::End, false, {}};
    leaving(nullptr, scheduler_stack_, scheduler_stack_bytes_);
    return std::move(scheduler_side_);
}

Demand OwnStack::resume() {
    leaving(&fake_stack_scheduler_, stack_, Arena::host_stack_bytes);
    code_side_ = std::move(code_side_).resume();
    arrived(fake_stack_scheduler_, nullptr, nullptr);
    if (demand_.kind == Demand::Kind::End) arena_.give_back_stack(std::exchange(stack_, nullptr));
    if (failed_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return demand_;
}

void OwnStack::demand(Demand what) {
    if (destroyer_ != nullptr) [[unlikely]]
        give_up();
    check_stack();
    demand_ = what;
    leaving(&fake_stack_code_, scheduler_stack_, scheduler_stack_bytes_);
    struct Arrival {  // also when resume() throws: a stack that is destroyed unwinds from there
        OwnStack& code;
        ~Arrival() { arrived(code.fake_stack_code_, &code.scheduler_stack_, &code.scheduler_stack_bytes_); }
    };
    try {
        const Arrival arrival{*this};
        scheduler_side_ = std::move(scheduler_side_).resume();
    } catch (const boost::context::detail::forced_unwind& unwinding) {
        destroyer_ = unwinding.fctx;
        throw;
    }
}

// Back to the destructor, for good.
void OwnStack::give_up() {
    given_up_ = true;
    leaving(nullptr, scheduler_stack_, scheduler_stack_bytes_);
    boost::context::detail::jump_fcontext(destroyer_, nullptr);
    __builtin_unreachable();
}

// There are no guard pages (each would split a mapping, and the host allows 65 530), so the depth is checked at every demand.
void OwnStack::check_stack() const {
#ifndef MAGICWIRE_ASAN  // there, locals live on a fake stack
    const std::byte here{};
    EXPECTS(&here > stack_ + stack_reserve && &here < stack_ + Arena::host_stack_bytes, "fiber.stack_overflow");
#endif
}

}  // namespace hw_model
