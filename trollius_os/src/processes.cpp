// The kernel's process table: how a process gets a slot and an id, lives in it, and leaves it.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <trollius_os/api.hpp>
#include <trollius_os/circuits.hpp>
#include <trollius_os/kernel.hpp>
#include <trollius_os/services/kenyad.hpp>

namespace trollius_os {
namespace {

// The distance of two ids stands for a workspace. Below the end a reply event has bit 30 set, so that exit notices have an
// event of their own (services::notice_event()).
constexpr std::uint32_t pid_step = 3'604, pid_end = std::uint32_t{1} << 30;

bool has_ended(const std::unique_ptr<Process>& process) {
    return process->state() == ProcessState::Ended;
}

}  // namespace

// Each id is new for some 2 * 10^8 processes: after the last one the workspaces lie a word higher.
vocabulary::ProcessId Kernel::next_pid() {
    vocabulary::ProcessId pid;
    do {
        pid = vocabulary::ProcessId(next_pid_);
        next_pid_ += pid_step;
        if (next_pid_ < pid_end) continue;
        pid_round_ = (pid_round_ + 4) % pid_step;
        next_pid_ = first_pid + pid_round_;
    } while (find(pid) != nullptr);
    return pid;
}

// Their stacks and frames go now: a process that ends cannot take away the stack on which it runs.
void Kernel::bury_the_ended() {
    for (const auto* clients : {&processes_, &threads_}) {
        for (const auto& process : *clients) {
            if (process->thread_ != nullptr && has_ended(process)) port_.bury(*std::exchange(process->thread_, nullptr));
        }
    }
}

// A process that has not begun, in the lowest free slot; a thread takes none. nullptr: refused.
Process* Kernel::free_slot(const ProcessSpec& spec) {
    bury_the_ended();
    if (spec.thread_of != nullptr && spec.thread_of->state_ == ProcessState::Ended) {
        refusal_ = Error::NotProcess;
        return nullptr;
    }
    auto& clients = spec.thread_of == nullptr || spec.heavy ? processes_ : threads_;
    auto slot = std::find_if(clients.begin(), clients.end(), has_ended);
    if (&clients == &processes_ && slot == clients.end() && clients.size() >= costs_.process_table) {
        refusal_ = Error::NoKernelDescriptors;
        return nullptr;
    }
    if (!port_.take_memory(spec.stack_bytes)) {
        refusal_ = Error::NoMemory;
        return nullptr;
    }
    auto process = std::make_unique<Process>(next_pid(), spec.name, spec.kernel_priority, spec.thread_of, spec.heavy);
    if (slot == clients.end()) return clients.emplace_back(std::move(process)).get();
    *slot = std::move(process);
    return slot->get();
}

void Kernel::start(Process& process, Priority priority) {
    if (std::holds_alternative<std::function<void(Api&)>>(process.code_)) {
        process.thread_ = &port_.spawn(priority, [this, &process] { live(process).get(); });
    } else {
        process.thread_ = &port_.spawn_coroutine(priority, [this, &process] { return live(process); });
    }
}

Process* Kernel::create(ProcessSpec spec) {
    Process* process = free_slot(spec);
    if (process == nullptr) return nullptr;
    process->last_event_ = process->reply_event();
    process->memory_ = spec.stack_bytes + spec.taken_bytes;
    process->code_ = std::move(spec.code);
    try {
        start(*process, spec.priority);
    } catch (const std::length_error&) {      // the processor has no room for another thread
        process->memory_ = spec.stack_bytes;  // what was taken before stays taken
        retire(*process);
        auto& clients = process->has_line() ? processes_ : threads_;
        if (clients.back().get() == process) clients.pop_back();
        refusal_ = Error::NoProcessDescriptors;
        return nullptr;
    }
    return process;
}

Task<> Kernel::live(Process& process) {
    Calls calls(*this, process);
    process.calls_ = &calls;
    co_await tell({.act = KernelAct::ProcessStart}, calls);
    if (const auto* coroutine = std::get_if<std::function<Task<>(Calls&)>>(&process.code_)) {
        co_await (*coroutine)(calls);
    } else {
        Api api(calls);
        std::get<std::function<void(Api&)>>(process.code_)(api);
    }
    co_await tell({.act = KernelAct::ProcessEnd}, calls);
    if (circuits_ != nullptr || has_threads(process)) co_await calls.settle();
    retire(process);
}

// The process has ended, and so have its threads. Its own events go, unless somebody waits there.
void Kernel::retire(Process& process, Process* caller) {
    process.state_ = ProcessState::Ended;
    if (process.owner_ == nullptr) end_threads(process, caller);
    port_.give_back_memory(process.memory_);
    if (circuits_ != nullptr) circuits_->forget(port_, process.pid_);
    for (const EventNo own : {process.reply_event(), services::notice_event(process.reply_event())}) {
        const Mailbox* mailbox = mailboxes_.find(own);
        if (mailbox != nullptr && mailbox->senders.empty() && mailbox->receivers.empty()) mailboxes_.erase(own);
    }
}

Circuits& Kernel::circuits() {
    if (circuits_ == nullptr) circuits_ = std::make_unique<Circuits>();
    return *circuits_;
}

void Kernel::begin_service(EventNo event) {
    const auto found = dormant_.find(event);
    if (found == dormant_.end()) return;
    const auto begin = std::move(found->second);
    dormant_.erase(found);
    if (begin()) return;
    dormant_[event] = begin;
    drop("kernel", "no room for a service that a message is for");
}

bool Kernel::has_threads(const Process& process) const {
    const auto is_its_thread = [&](const auto& thread) { return thread->owner_ == &process; };
    return std::any_of(threads_.begin(), threads_.end(), is_its_thread) ||
           std::any_of(processes_.begin(), processes_.end(), is_its_thread);
}

// A calling thread cannot be stopped while it runs: it only counts as ended.
void Kernel::end_threads(const Process& process, Process* caller) {
    for (const auto* clients : {&threads_, &processes_}) {
        for (std::size_t i = 0; i < clients->size(); ++i) {  // code that goes may create others
            Process& thread = *(*clients)[i];
            if (thread.owner_ != &process || thread.state_ == ProcessState::Ended) continue;
            if (&thread == caller) {
                retire(thread, caller);
            } else {
                doom(thread, caller);
            }
        }
    }
}

ProcessStatus Kernel::status(const Process& process) const {
    const auto last = std::find_if(threads_.begin(), threads_.end(), [&](const auto& thread) {
        return thread->pid_ == process.last_client_ && thread->state_ != ProcessState::Ended;
    });
    ProcessStatus status = last == threads_.end() ? process.status() : (*last)->status();
    status.pending = process.signals_.pending;
    return status;
}

void Kernel::forget_routes() {
    for (const auto* clients : {&processes_, &threads_}) {
        for (const auto& process : *clients) process->routes_.clear();
    }
}

// Pays nothing: the rendez-vous of the process, as payer or partner, happen now.
void Kernel::finish_its_rendezvous(Process& process) {
    for (auto* clients : {&processes_, &threads_}) {
        for (std::size_t i = 0; i < clients->size(); ++i) {  // those that are released may create others
            Process& payer = *(*clients)[i];
            Process* partner = payer.partner_;
            if (partner == nullptr || (&payer != &process && partner != &process)) continue;
            finish_rendezvous(payer);
            if (partner != &process) release(*partner).get();
        }
    }
}

void Kernel::doom(Process& process, Process* caller) {
    if (process.state_ == ProcessState::Ended) return;
    withdraw(process);
    process.asks_buffers_ = false;
    finish_its_rendezvous(process);
    const vocabulary::ProcessId pid = process.pid_;
    process.state_ = ProcessState::Ended;
    port_.kill(*process.thread_);
    retire(process, caller);
    refuse_offers_to(pid);
}

// Ends the sends that only a receive of that process would end.
void Kernel::refuse_offers_to(vocabulary::ProcessId pid) {
    for (auto* clients : {&processes_, &threads_}) {
        for (std::size_t i = 0; i < clients->size(); ++i) {  // those that go on may create others
            Process& sender = *(*clients)[i];
            if (sender.offers_to_ == nullptr || sender.offers_to_->pid != pid || !withdraw(sender)) continue;
            sender.woken_ = Process::Woken::Refused;
            sender.matched_ = true;
            port_.wake(sender.thread_).get();
        }
    }
}

}  // namespace trollius_os
