#include "user_stack.hpp"

#include <utility>

#include "protect.hpp"

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

namespace farm_programs {
namespace {

// AddressSanitizer must be told of every change of stack.
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

// What an abandoned function has left of AddressSanitizer's marks between its variables.
void clear_marks([[maybe_unused]] const std::byte* bottom, [[maybe_unused]] std::size_t bytes) {
#ifdef MAGICWIRE_ASAN
    __asan_unpoison_memory_region(bottom, bytes);
#endif
}

struct BorrowedStack {
    void deallocate(boost::context::stack_context&) noexcept {}
};

// An exception of the user's program that nobody catches must end at the program's own std::terminate(), not search on through
// frames of Magicwire: the unwinder is told that nobody has called this function.
[[gnu::noinline]] void outermost(const std::function<void()>& code) {
#if defined(__GCC_HAVE_DWARF2_CFI_ASM) || defined(__clang__)
    asm volatile(".cfi_undefined rip");
#endif
    code();
    asm volatile("");  // so that the call above is a call
}

}  // namespace

UserStack::UserStack(std::byte* bottom, std::size_t bytes, Code code)
    : bottom_(bottom + guard_bytes), top_(bottom + bytes), addresses_(code) {
    protect(bottom, guard_bytes, Access::None);
}

bool UserStack::run(const std::function<void()>& code, const std::function<void()>& before_resume,
                    const std::function<void()>& after_leave) {
    code_ = &code;
    if (std::exchange(abandoned_, true)) clear_marks(bottom_, static_cast<std::size_t>(top_ - bottom_));
    ended_ = false;
    boost::context::stack_context room;
    room.size = static_cast<std::size_t>(top_ - bottom_);
    room.sp = top_;
    auto* inside = new (inside_room_) Context(std::allocator_arg, boost::context::preallocated(room.sp, room.size, room),
                                              BorrowedStack{}, [this](Context&& outside) {
                                                  arrived(nullptr, &caller_stack_, &caller_stack_bytes_);
                                                  outside_ = std::move(outside);
                                                  outermost(*code_);
                                                  ended_ = true;
                                                  leaving(nullptr, caller_stack_, caller_stack_bytes_);
                                                  return std::move(outside_);
                                              });
    while (true) {
        before_resume();
        request_ = nullptr;
        leaving(&fake_outside_, bottom_, static_cast<std::size_t>(top_ - bottom_));
        Context next = std::move(*inside).resume();
        arrived(fake_outside_, nullptr, nullptr);
        inside = new (inside_room_) Context(std::move(next));
        after_leave();
        if (ended_) abandoned_ = false;
        if (ended_) return true;
        if (request_ == nullptr) return false;
        (*request_)();
    }
}

void UserStack::on_caller(const std::function<void()>& what) {
    request_ = &what;
    leaving(&fake_inside_, caller_stack_, caller_stack_bytes_);
    outside_ = std::move(outside_).resume();
    arrived(fake_inside_, &caller_stack_, &caller_stack_bytes_);
}

void UserStack::abandon() {
    request_ = nullptr;
    leaving(nullptr, caller_stack_, caller_stack_bytes_);
    outside_ = std::move(outside_).resume();
    __builtin_trap();  // nobody comes back
}

}  // namespace farm_programs
