// A process of a program: one run of a function from its beginning to its end.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include <user_programs/processor_flags.hpp>
#include <user_programs/program_process.hpp>
#include <user_programs/system_fence.hpp>
#include <vocabulary/errors.hpp>

#include "../support/program_support.h"
#include "program_module.hpp"

namespace user_programs {

ProgramProcess* ProgramProcess::current_ = nullptr;

namespace {

Globals values_of(const LoadedProgram::Module& module, const Globals& saved) {
    return module.active == &saved ? module.current_globals() : saved;
}

std::string seconds_text(vocabulary::SimTime time) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(time.in_ps()) / 1e12);
    return text.data();
}

}  // namespace

ProgramProcess::Memory::Memory(LoadedProgram::Module& module, vocabulary::NodeId where, std::shared_ptr<Globals> globals,
                               Bytes thread_local_ones, std::byte* room_of_stack)
    : of(module.memory),
      node(where),
      saved(std::move(globals)),
      thread(std::move(thread_local_ones)),
      room(room_of_stack),
      stack(room, UserMemory::stack_bytes, {module.text_begin, module.text_end}) {}

ProgramProcess::Memory::~Memory() {
    of.give_back_stack(node, room);
}

ProgramProcess::ProgramProcess(LoadedProgram& program, vocabulary::NodeId node, const ProgramProcess* like)
    : program_(program), module_(*program.module_), node_(node) {
    const bool in_place = like != nullptr && module_.active_thread == &like->memory_->thread;
    memory_ = std::make_unique<Memory>(
        module_, node,
        std::make_shared<Globals>(like == nullptr ? module_.pristine : values_of(module_, *like->memory_->saved)),
        like == nullptr ? module_.pristine_thread
        : in_place      ? module_.current_thread()
                        : like->memory_->thread,
        module_.memory.take_stack(node));
}

ProgramProcess::ProgramProcess(ThreadOf of)
    : program_(of.process.program_),
      module_(of.process.module_),
      node_(of.process.node_),
      memory_(std::make_unique<Memory>(module_, node_, of.process.memory_->saved, module_.pristine_thread, of.stack.take())),
      owner_(of.process.owner_) {}

ReservedStack::ReservedStack(ProgramProcess& process)
    : memory_(process.module_.memory), node_(process.node_), room_(memory_.take_stack(node_)) {}

ReservedStack::~ReservedStack() {
    if (room_ != nullptr) memory_.give_back_stack(node_, room_);
}

ProgramProcess::~ProgramProcess() {
    if (module_.active_thread == &memory_->thread) module_.active_thread = nullptr;
    const auto& globals = memory_->saved;
    if (module_.active == globals.get() && globals.use_count() == 1) module_.active = nullptr;
}

bool ProgramProcess::has_room(LoadedProgram& program, vocabulary::NodeId node) {
    return program.module_->memory.has_stack(node);
}

bool ProgramProcess::has_room_for_thread() const {
    return module_.memory.has_stack(node_);
}

ProgramProcess::End ProgramProcess::run(std::size_t entry, Environment& environment) {
    entry_ = entry;
    environment_ = &environment;
    if (module_.function[entry] == nullptr) return End::Returned;
    if (image_ != nullptr) put_back();
    start();
    ++program_.charged_[entry].calls;
    if (program_.costs().source == CostSource::Fixed) charge(fixed_cost());
    const bool whole = memory_->stack.run([this] { call(); },
                                          [this] {
                                              module_.activate(*this);
                                              module_.repair();
                                              current_ = this;
                                              FaultCatcher::begin(memory_->stack);
                                              errno = error_;
                                          },
                                          [this] {
                                              error_ = errno;
                                              FaultCatcher::end();
                                              damage_ = module_.repair() || damage_;
                                              current_ = nullptr;
                                          });
    // Taken at once: the following code takes modelled time, in which another process may fault, too.
    const FaultReport fault = whole || ended_ ? FaultReport{} : fault_of_stack();
    ended_ = ended_ || (!whole && fault.signal == FaultReport::end_wanted && !fault.overwritten);
    const bool faulted = !whole && !ended_;
    if (damage_)
        environment.diagnose(diagnosis(Problem::Overrun, "writes outside its global variables",
                                       "look for an index out of range of a global array"));
    if (faulted) tell_fault(fault);
    // A node that stops waits for nobody's answer, so its unfinished line is lost.
    if (faulted) unfinished_line_.clear();
    settle();
    if (faulted) environment.fault();
    return ended_ ? End::Ended : End::Returned;
}

FaultReport ProgramProcess::fault_of_stack() const {
    if (!memory_->stack.is_overwritten()) return FaultCatcher::take();
    FaultReport fault;
    fault.overwritten = true;
    fault.callers = memory_->stack.waited_at();
    return fault;
}

void ProgramProcess::start() {
    module_.activate(*this);
    module_.support->budget = module_.piece();
    cycles_ = {};
    unnoticed_ = 0;
    looks_at_ = module_.piece();
    computed_ = {};
    const auto told_after = program_.costs().told_after;
    tells_at_ = told_after ? environment_->cycles_of(*told_after) : Cycles(INT64_MAX);
    ended_ = damage_ = false;
    refusals_ = 0;
    prepare();
    words_lent_ = lent_.size();
    if (image_ != nullptr) put_words_back();
}

// On the function's stack.
void ProgramProcess::call() {
    if (image_ != nullptr) resume_image();
    SystemFence::close();
    enter(module_.function[entry_]);
    clear_flags_of_the_program();
    SystemFence::open();
}

// Settles the rest of the counter, the rest of a line, and what the kind of program has lent.
void ProgramProcess::settle() {
    module_.activate(*this);
    if (program_.costs().source == CostSource::Estimated) {
        const Cycles rest = module_.in_external_memory(module_.piece() - module_.budget());
        module_.support->budget = module_.piece();  // threads share it
        charge(rest);
    }
    charge(module_.take_library_work());
    if (kept_log_ != nullptr) kept_log_->settle(*environment_);
    module_.activate(*this);
    finish();
    flush();
    if (cycles_.count() == 0) ++program_.charged_[entry_].silent_calls;
}

void ProgramProcess::interrupt(const std::function<void()>& code) {
    memory_->stack.interrupt([this, &code] {
        SystemFence::close();
        code();
        clear_flags_of_the_program();
        SystemFence::open();
        settle_counter();
    });
}

flowback_log::Range ProgramProcess::shared_heap() const {
    const NodeHeap& heap = module_.memory.heap(node_);
    if (heap.live_blocks().empty()) return {0, 0};
    return heap.range();
}

std::optional<CodeRegisters> ProgramProcess::registers() const {
    return memory_->stack.registers();
}

void ProgramProcess::switch_to_caller(const std::function<void()>& what) {
    memory_->stack.on_caller(what);
}

std::byte* ProgramProcess::allocate_in(NodeHeap& heap, std::size_t bytes, std::size_t alignment) {
    std::exception_ptr refused;
    try {
        return heap.allocate(bytes, alignment, owner_);
    } catch (const vocabulary::HostError&) {
        if (current_ != this) throw;
        refused = std::current_exception();
    }
    on_caller([&refused] { std::rethrow_exception(std::exchange(refused, nullptr)); });
    return nullptr;  // never: the stack is abandoned
}

// The block lies in the node's own memory, where a program that writes beyond the end harms its own data only.
std::byte* ProgramProcess::lend(std::span<const std::byte> bytes) {
    std::byte* block = allocate_in(module_.memory.messages(node_), bytes.size(), 16);
    if (block == nullptr) return nullptr;
    if (!bytes.empty()) std::memcpy(block, bytes.data(), bytes.size());
    lent_.push_back(block);
    return block;
}

void ProgramProcess::take_back(void* block) {
    std::size_t bytes = 0;
    const NodeHeap::Freed how = module_.memory.messages(node_).release(block, bytes);
    if (how != NodeHeap::Freed::Overrun) return;
    environment_->diagnose(diagnosis(Problem::Overrun, "writes past the end of a task or result that it was given",
                                     "copy it into memory of its own before changing it"));
}

void ProgramProcess::take_back_all() {
    for (void* block : lent_) take_back(block);
    lent_.clear();
}

std::byte* ProgramProcess::lend_room(std::size_t bytes) {
    std::byte* block = allocate_in(module_.memory.messages(node_), bytes, 16);
    if (block != nullptr) lent_.push_back(block);
    return block;
}

void ProgramProcess::take_room_back(void* room) {
    if (forget_loan(room)) take_back(room);
}

bool ProgramProcess::forget_loan(void* block) {
    return std::erase(lent_, block) > 0;
}

void ProgramProcess::charge(Cycles amount) {
    if (amount.count() <= 0) return;
    unnoticed_ = 0;
    looks_at_ = module_.piece();
    cycles_ += amount;
    program_.charged_[entry_].cycles += amount;
    environment_->charge(amount);
}

// Charges the time of the computation so far, before anything else of the process is seen.
void ProgramProcess::settle_counter() {
    const std::int64_t blocks = module_.piece() - module_.budget();
    module_.support->budget = module_.piece();
    Cycles due = module_.take_library_work();
    if (program_.costs().source == CostSource::Estimated) {
        const Cycles counted = module_.in_external_memory(blocks);
        if (counted.count() > 0) computed_ += counted;
        due += counted;
    } else {
        unnoticed_ += blocks;
    }
    if (due.count() <= 0 && kept_log_ == nullptr) return;
    const std::function<void()> pay = [this, due] {
        charge(due);
        if (kept_log_ != nullptr) kept_log_->settle(*environment_);
    };
    memory_->stack.on_caller(pay);
}

void ProgramProcess::spent() {
    FaultCatcher::moves();
    settle_counter();
    if (unnoticed_ >= looks_at_) look();
    if (computed_ >= tells_at_) tell_that_it_computes_on();
}

// It may be meant to compute so long, so it goes on. The next time is twice as long, so that a long computation is told of a
// few times only.
void ProgramProcess::tell_that_it_computes_on() {
    tells_at_ = tells_at_ * 2;
    tell(Problem::ComputesOn, "has computed for " + seconds_text(time_of(computed_)) + " without a call", how_it_ends(),
         "it goes on");
}

vocabulary::SimTime ProgramProcess::time_of(Cycles cycles) const {
    const auto second = vocabulary::SimTime::s(1);
    return vocabulary::SimTime::ps(static_cast<std::int64_t>(static_cast<double>(cycles.count()) * second.in_ps() /
                                                             environment_->cycles_of(second).count()));
}

std::optional<ProgramProcess::Computation> ProgramProcess::computation() const {
    if (computed_.count() <= 0) return std::nullopt;
    std::vector<std::uintptr_t> code = memory_->stack.waited_at();
    for (std::uintptr_t& address : code) --address;  // of the call, not of the instruction behind it
    return Computation{time_of(computed_), module_.where(code)};
}

// Checks now and then, where no modelled time is charged, that the function does not go on for ever. Its calls may take
// modelled time without a charge, as a message does.
void ProgramProcess::look() {
    if (EndWanted::now()) end_quietly();
    looks_at_ = unnoticed_ + module_.piece();
    if (unnoticed_ < program_.costs().watchdog_cycles) return;
    const std::uint64_t now = environment_->clock_us();
    unnoticed_ = 0;
    looks_at_ = module_.piece();
    if (std::exchange(looked_us_, now) != now) return;
    stop(Problem::RunsWithoutCharging, "runs endlessly without charging any modelled time",
         "look for a loop that does not end; if it is meant to run so long, call work_us() in it or take `costs: estimated`");
}

void ProgramProcess::flush() {
    if (unfinished_line_.empty()) return;
    const std::string text = std::exchange(unfinished_line_, {});
    environment_->print(text);
}

// Prints whole lines, since every line is a message to the host; a very long line goes in parts.
void ProgramProcess::write(std::string_view text) {
    constexpr std::size_t most = 4096;
    before_text();
    unfinished_line_ += text;
    const std::size_t end = unfinished_line_.rfind('\n');
    const std::size_t ready = end != std::string::npos ? end + 1 : unfinished_line_.size() > most ? unfinished_line_.size() : 0;
    if (ready == 0) return;
    const std::string whole = unfinished_line_.substr(0, ready);
    unfinished_line_.erase(0, ready);
    on_caller([&] { environment_->print(whole); });
}

std::size_t ProgramProcess::read(void* buffer, std::size_t bytes) {
    before_text();
    received_.resize(std::min<std::size_t>(bytes, std::size_t{1} << 20));
    on_caller([this] { received_.resize(environment_->read(received_)); });
    const std::size_t got = received_.size();
    if (got > 0) std::memcpy(buffer, received_.data(), got);
    Bytes().swap(received_);
    return got;
}

}  // namespace user_programs
