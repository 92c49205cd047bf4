#include "user_stack.hpp"

#include <algorithm>
#include <cstring>
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

namespace user_programs {
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

// Clears AddressSanitizer's marks that an abandoned function has left between its variables.
void clear_marks([[maybe_unused]] const std::byte* bottom, [[maybe_unused]] std::size_t bytes) {
#ifdef MAGICWIRE_ASAN
    __asan_unpoison_memory_region(bottom, bytes);
#endif
}

// Copies where AddressSanitizer would see the gaps between variables.
[[gnu::no_sanitize_address]] void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef MAGICWIRE_ASAN
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
#else
    std::memcpy(to, from, bytes);
#endif
}
[[gnu::no_sanitize_address]] bool same_words(const std::byte* one, const std::byte* other, std::size_t bytes) {
#ifdef MAGICWIRE_ASAN
    std::size_t i = 0;
    while (i < bytes && one[i] == other[i]) ++i;
    return i == bytes;
#else
    return std::memcmp(one, other, bytes) == 0;
#endif
}

// Also when the request throws.
class Waiting {
public:
    explicit Waiting(bool& flag) : flag_(flag) { flag_ = true; }
    ~Waiting() { flag_ = false; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    bool& flag_;
};

struct BorrowedStack {
    void deallocate(boost::context::stack_context&) noexcept {}
};

// An uncaught exception of the user's program must end at the program's own std::terminate(). It must not search on through
// frames of Magicwire, so the unwinder is told that nobody has called this function.
[[gnu::noinline]] void outermost(const std::function<void()>& code) {
#if defined(__GCC_HAVE_DWARF2_CFI_ASM) || defined(__clang__)
    asm volatile(".cfi_undefined rip");
#endif
    code();
    asm volatile("");  // keeps the call above a real call
}

}  // namespace

std::uint64_t UserStack::pieces_ = 0;

UserStack::UserStack(std::byte* bottom, std::size_t bytes, Code code)
    : bottom_(bottom + guard_bytes), top_(bottom + bytes), addresses_(code) {
    protect(bottom, guard_bytes, Access::None);
}

UserStack::~UserStack() {
    clear_marks(bottom_, static_cast<std::size_t>(top_ - bottom_));
}

bool UserStack::run(const std::function<void()>& code, const std::function<void()>& before_resume,
                    const std::function<void()>& after_leave) {
    code_ = &code;
    if (std::exchange(abandoned_, true)) clear_marks(bottom_, static_cast<std::size_t>(top_ - bottom_));
    ended_ = overwritten_ = interruption_over_ = false;
    boost::context::stack_context room;
    room.size = static_cast<std::size_t>(top_ - bottom_);
    room.sp = top_;
    new (inside_room_) Context(std::allocator_arg, boost::context::preallocated(room.sp, room.size, room), BorrowedStack{},
                               [this](Context&& outside) {
                                   arrived(nullptr, &caller_stack_, &caller_stack_bytes_);
                                   outside_ = std::move(outside);
                                   outermost(*code_);
                                   ended_ = true;
                                   leaving(nullptr, caller_stack_, caller_stack_bytes_);
                                   return std::move(outside_);
                               });
    before_resume_ = &before_resume;
    after_leave_ = &after_leave;
    interruption_ = nullptr;
    try {
        obey_until(ended_);
    } catch (const Gone&) {
        return ended_;
    }
    abandoned_ = false;
    return true;
}

// Runs the code piece by piece, and between them what it asks for, until `over` is true.
void UserStack::obey_until(const bool& over) {
    while (true) {
        (*before_resume_)();
        request_ = nullptr;
        piece_ = ++pieces_;
        const bool abandoned = resume();
        (*after_leave_)();
        if (abandoned) throw Gone();
        if (over) return;
        if (ended_) throw Gone();
        keep_frames();
        {
            const Waiting waiting(waits_);
            (*request_)();
        }
        overwritten_ = !has_its_frames();
        if (overwritten_) throw Gone();
    }
}

void UserStack::interrupt(const std::function<void()>& what) {
    overwritten_ = !has_its_frames();
    if (overwritten_) throw Gone();
    const std::byte* const entry = entry_;
    interruption_ = &what;
    obey_until(interruption_over_);
    interruption_over_ = false;
    entry_ = entry;
    keep_frames();
}

// True: it has been abandoned. This is a function of its own, since the values in registers at its call are then lost.
[[gnu::noinline]] bool UserStack::resume() {
    leaving(&fake_outside_, bottom_, static_cast<std::size_t>(top_ - bottom_));
    if (__builtin_setjmp(way_back_.data()) != 0) {
        arrived(fake_outside_, nullptr, nullptr);
        // The program may have changed the floating-point modes. A change of stacks puts them back, this way back does not.
        constexpr unsigned usual_modes = 0x1f80;
        __builtin_ia32_ldmxcsr(usual_modes);
        asm volatile("fninit");
        new (&outside_) Context();  // not destroyed: that would unwind what waits here
        return true;
    }
    Context next = std::move(*std::launder(reinterpret_cast<Context*>(inside_room_))).resume();
    arrived(fake_outside_, nullptr, nullptr);
    new (inside_room_) Context(std::move(next));
    return false;
}

void UserStack::on_caller(const std::function<void()>& what) {
    request_ = &what;
    leave();
    while (interruption_ != nullptr) {
        outermost(*std::exchange(interruption_, nullptr));
        interruption_over_ = true;
        leave();
    }
}

void UserStack::leave() {
    leaving(&fake_inside_, caller_stack_, caller_stack_bytes_);
    outside_ = std::move(outside_).resume();
    arrived(fake_inside_, &caller_stack_, &caller_stack_bytes_);
}

// outside_ cannot serve: it is empty where the code could not go on because its stack was destroyed.
void UserStack::abandon() {
    leaving(nullptr, caller_stack_, caller_stack_bytes_);
    __builtin_longjmp(way_back_.data(), 1);
}

// The stack of a waiting process lies open to the others of its node, and Magicwire's own frames lie lowest. The variables of
// the user's functions may be changed by others.
[[gnu::no_sanitize_address]] void UserStack::keep_frames() {
    kept_bytes_ = own_bytes_ = 0;
    static_assert(sizeof(Context) == sizeof kept_from_, "a context is the address where its registers lie");
    std::memcpy(&kept_from_, inside_room_, sizeof kept_from_);
    constexpr std::size_t return_address = 2 * sizeof(void*);
    const std::byte* const end = entry_ + return_address;
    if (kept_from_ < bottom_ || kept_from_ > end || end > top_ || end > kept_from_ + most_kept)
        return;  // a stack of the program's own
    own_bytes_ = static_cast<std::size_t>(end - kept_from_);
    kept_bytes_ = std::min(own_bytes_ + kept_of_callers, static_cast<std::size_t>(top_ - kept_from_));
    copy_words(kept_.data(), kept_from_, kept_bytes_);
}

bool UserStack::has_its_frames() const {
    return piece_ == pieces_ || same_words(kept_.data(), kept_from_, own_bytes_);
}

// As jump_fcontext() of Boost.Context lays them out for x86-64: modes, r12 to r15, rbx, rbp, and the address where it goes on.
std::optional<CodeRegisters> UserStack::registers() const {
    if (!waits_) return std::nullopt;
    const std::byte* at = nullptr;
    std::memcpy(&at, inside_room_, sizeof at);
    constexpr std::array<unsigned, 7> numbers = {12, 13, 14, 15, 3, 6, CodeRegisters::instruction};
    constexpr std::size_t bytes_of_modes = 8, word = sizeof(std::uint64_t);
    if (at < bottom_ || at + bytes_of_modes + (numbers.size() * word) > top_) return std::nullopt;
    CodeRegisters found;
    at += bytes_of_modes;
    for (const unsigned number : numbers) {
        std::uint64_t value = 0;
        std::memcpy(&value, at, word);
        found.set(number, value);
        at += word;
    }
    found.set(CodeRegisters::stack, reinterpret_cast<std::uintptr_t>(at));
    return found;
}

std::vector<std::uintptr_t> UserStack::waited_at() const {
    std::vector<std::uintptr_t> found;
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= kept_bytes_; at += sizeof(std::uintptr_t)) {
        std::uintptr_t word = 0;
        std::memcpy(&word, kept_.data() + at, sizeof word);
        if (word >= addresses_.begin && word < addresses_.end) found.push_back(word);
    }
    return found;
}

}  // namespace user_programs
