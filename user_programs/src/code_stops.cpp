#include <user_programs/code_stops.hpp>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>

#include <user_programs/processor_flags.hpp>
#include <user_programs/system_fence.hpp>
#include <vocabulary/errors.hpp>

#include "fault_catcher.hpp"
#include "program_module.hpp"

namespace user_programs {

CodeStops* CodeStops::current_ = nullptr;

namespace {

constexpr unsigned char breakpoint_instruction = 0xcc;  // int3
constexpr greg_t one_instruction = 0x100;               // TF: a signal after the next instruction

void write_code(std::uintptr_t first, std::uintptr_t last, const std::function<void()>& write) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = first / page * page, bytes = last + 1 - begin;
    void* const at = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    if (mprotect(at, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        throw vocabulary::HostError(std::string("no breakpoint can be set: the host does not let code be changed: ") +
                                    std::strerror(errno));
    write();
    mprotect(at, bytes, PROT_READ | PROT_EXEC);  // a wild pointer of the program must not change it
}

unsigned char& code_at(std::uintptr_t address) {
    return *reinterpret_cast<unsigned char*>(address);  // NOLINT(performance-no-int-to-ptr)
}

CodeRegisters registers_of(const mcontext_t& context) {
    const gregset_t& from = context.gregs;
    constexpr std::array<int, CodeRegisters::count> order = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                                             REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                             REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    CodeRegisters all;
    for (unsigned i = 0; i < CodeRegisters::count; ++i) all.set(i, static_cast<std::uint64_t>(from[order[i]]));
    if (context.fpregs != nullptr) {
        std::array<CodeRegisters::Vector, CodeRegisters::vectors> vectors{};
        std::memcpy(vectors.data(), context.fpregs->_xmm, sizeof vectors);
        all.set_vectors(vectors);
    }
    return all;
}

}  // namespace

struct CodeStops::LargeStack {
    static constexpr std::size_t bytes = std::size_t{16} << 20;
    LargeStack() {
        void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw vocabulary::HostError("the host has no memory for a debugger; close other programs");
        room = static_cast<std::byte*>(memory);
        stack = std::make_unique<UserStack>(room, bytes, UserStack::Code{});
    }
    ~LargeStack() {
        stack.reset();
        munmap(room, bytes);
    }
    LargeStack(const LargeStack&) = delete;
    LargeStack& operator=(const LargeStack&) = delete;

    void run(const std::function<void()>& what) const {
        std::exception_ptr failed;
        const auto nothing = [] {};
        stack->run(
            [&] {
                try {
                    what();
                } catch (...) {
                    failed = std::current_exception();
                }
            },
            nothing, nothing);
        if (failed) std::rethrow_exception(failed);
    }

    std::byte* room = nullptr;
    std::unique_ptr<UserStack> stack;
};

CodeStops::CodeStops(Wanted wanted, Stopped stopped)
    : wanted_(std::move(wanted)), stopped_(std::move(stopped)), stack_(std::make_unique<LargeStack>()) {
    current_ = this;
    // On the stack of the process, unlike the others: it waits in the handler while other code of this thread runs.
    struct sigaction action {};
    action.sa_sigaction = [](int number, siginfo_t* info, void* context) { on_signal(number, info, context); };
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, &action, nullptr);
}

CodeStops::~CodeStops() {
    while (!patches_.empty()) set(*patches_.begin()->first, {});
    FaultCatcher::catch_too(SIGTRAP);
    current_ = nullptr;
}

void CodeStops::set(LoadedProgram& program, const std::vector<std::uintptr_t>& places) {
    arm_again();
    Patches& now = patches_[&program];
    Patches wanted;
    for (const std::uintptr_t at : places) {
        const auto known = now.find(at);
        wanted.emplace(at, known == now.end() ? code_at(at) : known->second);
    }
    if (!now.empty() || !wanted.empty()) {
        const std::uintptr_t first =
            std::min(now.empty() ? UINTPTR_MAX : now.begin()->first, wanted.empty() ? UINTPTR_MAX : wanted.begin()->first);
        const std::uintptr_t last =
            std::max(now.empty() ? 0 : now.rbegin()->first, wanted.empty() ? 0 : wanted.rbegin()->first);
        write_code(first, last, [&] {
            for (const auto& [at, byte] : now) code_at(at) = byte;
            for (const auto& [at, byte] : wanted) code_at(at) = breakpoint_instruction;
        });
    }
    now = std::move(wanted);
    if (now.empty()) patches_.erase(&program);
}

std::optional<CodeRegisters> CodeStops::registers(const ProgramProcess& process) const {
    if (trapped_ == &process) return trapped_at_;
    return process.registers();
}

void CodeStops::arm_again() {
    if (!stepping_) return;
    const Stepping at = *std::exchange(stepping_, std::nullopt);
    const auto its = patches_.find(at.program);
    if (its == patches_.end() || !its->second.contains(at.address)) return;
    write_code(at.address, at.address, [&] { code_at(at.address) = breakpoint_instruction; });
}

void CodeStops::stop(ProgramProcess& process, const CodeRegisters& at) {
    trapped_ = &process;
    trapped_at_ = at;
    const std::function<void()> tell = [this, &process] { stopped_(process); };
    const std::function<void()> on_large_stack = [this, &tell] { stack_->run(tell); };
    process.memory_->stack.on_caller(on_large_stack);
    trapped_ = nullptr;
}

// False: it is no place of this, but a breakpoint of the program's own.
bool CodeStops::on_trap(void* context, bool after_one_instruction) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    if (stepping_) {
        registers[REG_EFL] &= ~one_instruction;
        arm_again();
        if (after_one_instruction) return true;
    }
    ProgramProcess* const process = ProgramProcess::current();
    if (process == nullptr) return false;
    LoadedProgram& program = process->program_;
    const std::uintptr_t address = static_cast<std::uintptr_t>(registers[REG_RIP]) - 1;
    const auto here = [&]() -> const unsigned char* {
        const auto its = patches_.find(&program);
        if (its == patches_.end()) return nullptr;
        const auto found = its->second.find(address);
        return found == its->second.end() ? nullptr : &found->second;
    };
    if (here() == nullptr) return false;
    registers[REG_RIP] = static_cast<greg_t>(address);
    const CodeRegisters at = registers_of(static_cast<ucontext_t*>(context)->uc_mcontext);
    if (wanted_(*process, at)) stop(*process, at);
    if (const unsigned char* const own = here()) {  // the places may have changed meanwhile
        write_code(address, address, [&] { code_at(address) = *own; });
        registers[REG_EFL] |= one_instruction;
        stepping_ = Stepping{&program, address};
    }
    return true;
}

// On the stack of the process.
void CodeStops::on_signal(int number, void* info, void* context) {
    clear_flags_of_the_program();
    const bool was_closed = SystemFence::closed();
    const int error = errno;
    SystemFence::open();
    const auto* const its = static_cast<const siginfo_t*>(info);
    if (current_ == nullptr || !current_->on_trap(context, its->si_code == TRAP_TRACE))
        FaultCatcher::handle_signal(number, *its, context);
    errno = error;
    if (was_closed) SystemFence::close();
}

}  // namespace user_programs
