// UserStack: the stack on which a user's function runs. It is large, because host-compiled code with recursion needs room. It
// can be abandoned: frames of a user's function are never unwound, whether it fails or its process is stopped. (They are C, or
// C++ whose destructors would act on another process's globals.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <vector>

#include <boost/context/fiber.hpp>

#include <user_programs/code_registers.hpp>

namespace user_programs {

class UserStack {
public:
    static constexpr std::size_t guard_bytes = 64 * 1024;

    // Addresses of the code that runs on the stack.
    struct Code {
        std::uintptr_t begin = 0, end = 0;
    };
    // Takes the memory from `bottom` on and makes the first guard_bytes inaccessible.
    UserStack(std::byte* bottom, std::size_t bytes, Code code);
    ~UserStack();
    UserStack(const UserStack&) = delete;
    UserStack& operator=(const UserStack&) = delete;

    // Runs `code` until it ends, in pieces, with `before_resume` before and `after_leave` after each. The arguments of
    // on_caller() run here, on the caller's stack. If one throws, the code is abandoned. False: abandon() ended it, or
    // is_overwritten().
    bool run(const std::function<void()>& code, const std::function<void()>& before_resume,
             const std::function<void()>& after_leave);

    // For the code on the stack.
    void on_caller(const std::function<void()>& what);
    [[noreturn]] void abandon();
    // For what on_caller() runs: calls `what` on the stack of the waiting code, as if that code had called it. Code in `what`
    // may wait by on_caller(), too. Throws something that run() catches when the code is abandoned meanwhile, or comes to its
    // end by a jump.
    void interrupt(const std::function<void()>& what);
    // The code has called Magicwire, whose frames end at `frame`.
    void entered_at(const void* frame) { entry_ = static_cast<const std::byte*>(frame); }

    // True when another process has overwritten Magicwire's frames here while the code waited, so it cannot continue.
    bool is_overwritten() const { return overwritten_; }
    // Addresses of the program's code on the stack when the code began to wait.
    std::vector<std::uintptr_t> waited_at() const;

    // The registers of the code while what it asked for is done on the caller's stack. Empty: it has not begun, runs, or has
    // ended.
    std::optional<CodeRegisters> registers() const;

    // Where the code has called Magicwire; null: it has not yet.
    const std::byte* entry() const { return entry_; }
    std::byte* bottom() const { return bottom_; }  // first usable byte
    std::byte* top() const { return top_; }
    const Code& code() const { return addresses_; }
    bool in_guard(const void* address) const { return address >= bottom_ - guard_bytes && address < bottom_; }

private:
    using Context = boost::context::fiber;
    static constexpr std::size_t most_kept = 2048, kept_of_callers = 256;

    struct Gone {};  // the code does not come back to where it waits

    void obey_until(const bool& over);
    bool resume();
    void leave();
    void keep_frames();
    bool has_its_frames() const;

    std::byte *bottom_, *top_;
    Code addresses_;
    // Never destroyed: destroying it would unwind it.
    alignas(Context) std::byte inside_room_[sizeof(Context)] = {};
    Context outside_;
    const std::function<void()>*code_ = nullptr, *request_ = nullptr;
    const std::function<void()>*before_resume_ = nullptr, *after_leave_ = nullptr;
    const std::function<void()>* interruption_ = nullptr;  // not begun yet
    bool interruption_over_ = false;
    bool ended_ = false, abandoned_ = false, overwritten_ = false;
    bool waits_ = false;  // for the end of a request
    // The point where run() continues when the code is abandoned. It is not on the user's stack, which a program may have
    // destroyed.
    std::array<void*, 5> way_back_{};
    // A copy of the lowest part of the stack while the code waits: Magicwire's frames and a part of their callers'.
    const std::byte *entry_ = nullptr, *kept_from_ = nullptr;
    std::size_t own_bytes_ = 0, kept_bytes_ = 0;
    std::uint64_t piece_ = 0;  // number of its last piece, counted over all stacks
    static std::uint64_t pieces_;
    std::array<std::byte, most_kept + kept_of_callers> kept_{};
    const void* caller_stack_ = nullptr;  // AddressSanitizer's bookkeeping, like the three below
    std::size_t caller_stack_bytes_ = 0;
    void *fake_inside_ = nullptr, *fake_outside_ = nullptr;
};

}  // namespace user_programs
