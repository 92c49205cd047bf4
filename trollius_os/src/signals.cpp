// Signals: the kernel's half, which delivers them, and the library's half in Calls, which runs the handlers.
#include <trollius_os/signals.hpp>

#include <algorithm>
#include <utility>

#include <trollius_os/api.hpp>
#include <vocabulary/contract.hpp>

namespace trollius_os {

const char* name_of(Signal signal) {
    switch (signal) {
        case Signal::Trace:
            return "SIGTRACE";
        case Signal::C:
            return "SIGC";
        case Signal::Die:
            return "SIGUDIE";
        case Signal::Arrest:
            return "SIGARREST";
        case Signal::Release:
            return "SIGRELEASE";
        case Signal::A:
            return "SIGA";
        case Signal::B:
            return "SIGB";
    }
    return "";
}

std::string signal_numbers(SignalMask mask) {
    std::string text;
    for (const Signal signal : every_signal) {
        if (!has(mask, signal)) continue;
        if (!text.empty()) text += ',';
        text += std::to_string(static_cast<std::int32_t>(signal));
    }
    return text.empty() ? "<nil>" : text;
}

SignalAction SignalAction::ignore() {
    SignalAction action;
    action.kind_ = Kind::Ignore;
    return action;
}

SignalAction SignalAction::handle(Handler handler) {
    SignalAction action;
    action.kind_ = Kind::Handle;
    action.handler_ = std::make_shared<const Handler>(std::move(handler));
    return action;
}

SignalAction SignalAction::handle(std::function<void(Api&, Signal)> handler) {
    return handle(Handler([handler = std::move(handler)](Calls& calls, Signal signal) -> coroutines::Task<> {
        Api api(calls);
        handler(api, signal);
        return {};
    }));
}

std::string state_text(const ProcessStatus& status) {
    const bool receives = status.state == ProcessState::BlockedReceiving;
    if (receives && status.event == events::stop) return "<stopped>";
    if (receives && status.event == events::pause) return "<paused>";
    const char* word = receives ? "BR" : status.state == ProcessState::BlockedSending ? "BS" : "A";
    return word + (" (" + std::to_string(status.event.value())) + ", " + std::to_string(status.type) + ")";
}

Conversation::Conversation(SignalState& signals, With partner)
    : signals_(signals), held_(static_cast<SignalMask>(all_signals & ~signals.blocked)) {
    const bool mortal = partner == With::Users && signals.action(Signal::Die).kind() == SignalAction::Kind::Default;
    if (mortal) held_ = static_cast<SignalMask>(held_ & ~mask_of(Signal::Die));
    signals_.blocked = static_cast<SignalMask>(signals_.blocked | held_);
}

Conversation::Conversation(Calls& calls, With partner) : Conversation(calls.process().signals(), partner) {}

// Takes a blocked process off its event. False: it is not blocked, or somebody pays for a rendez-vous with it.
bool Kernel::withdraw(Process& process) {
    if (process.awaits_signal_) return true;
    Mailbox* mailbox = mailboxes_.find(process.last_event_);
    if (mailbox == nullptr) return false;
    return std::erase(mailbox->senders, &process) + std::erase(mailbox->receivers, &process) > 0;
}

// Its request to bufferd is void. If bufferd waits for the process to receive, it waits no longer, and keeps the message.
void Kernel::stop_asking(Process& process) {
    if (std::exchange(process.asks_buffers_, false)) refuse_offers_to(process.pid_);
}

void Kernel::signal(Process& process, Signal number, Process* caller) {
    deliver(process, number, caller);
    signal_threads(process, number, caller);
}

void Kernel::signal_threads(const Process& process, Signal number, Process* caller) {
    for (const auto* clients : {&threads_, &processes_}) {
        for (std::size_t i = 0; i < clients->size() && process.state_ != ProcessState::Ended; ++i) {
            if ((*clients)[i]->owner_ == &process) deliver(*(*clients)[i], number, caller);
        }
    }
}

void Kernel::deliver(Process& process, Signal number, Process* caller) {
    SignalState& signals = process.signals_;
    if (process.state_ == ProcessState::Ended) return;
    signals.post(number);
    if (!signals.any()) return;
    const bool dies = number == Signal::Die && !has(signals.blocked, number);
    if (dies && signals.action(number).kind() == SignalAction::Kind::Default) return doom(process, caller);
    if (!withdraw(process)) return;
    process.woken_ = Process::Woken::Interrupted;
    process.matched_ = true;
    port_.wake(process.thread_).get();
}

// A pending signal ends the present call of the caller, which runs its handlers. True: the call is to be made again, here. A
// receive that has asked bufferd begins anew, since a handler may have asked for another message.
Task<bool> Kernel::interrupted(Process& caller) {
    co_await port_.settle();
    const bool asked = caller.asks_buffers_;
    stop_asking(caller);
    Message* const reply_room = std::exchange(caller.reply_room_, nullptr);
    const bool of_circuit = caller.meet_circuits(false);
    const bool again = co_await caller.calls_->take_signals();
    caller.meet_circuits(of_circuit);
    caller.reply_room_ = reply_room;
    caller.awaits_reply_ = false;
    caller.asks_again_ = asked && again;
    co_return again && !asked;
}

Task<> Kernel::await_signal(Process& caller, EventNo reserved) {
    caller.use(reserved, 0);
    if (!caller.signals_.any()) {
        caller.awaits_signal_ = true;
        co_await block(caller, ProcessState::BlockedReceiving);
        caller.awaits_signal_ = false;
        caller.state_ = ProcessState::Ready;
    }
    port_.charge(half_);
}

// The library's half

// Runs the handlers of the pending signals, lowest number first. Returns the signals.
Task<SignalMask> Calls::run_handlers() {
    SignalState& signals = process_.signals();
    const auto taken = static_cast<SignalMask>(signals.pending & ~signals.blocked);
    signals.pending = static_cast<SignalMask>(signals.pending & ~taken);
    for (const Signal signal : every_signal) {
        if (has(taken, signal)) co_await act_on(signal);
    }
    co_return taken;
}

// True: the call that the signals have ended is to be made again.
Task<bool> Calls::take_signals() {
    const SignalMask taken = co_await run_handlers();
    co_return (taken & ~process_.signals().retry) == 0;
}

Task<> Calls::act_on(Signal signal) {
    SignalState& signals = process_.signals();
    const SignalMask held = mask_of(signal) & ~signals.blocked;
    signals.blocked = static_cast<SignalMask>(signals.blocked | held);
    const SignalAction action = signals.action(signal);
    if (action.kind() == SignalAction::Kind::Handle) co_await (*action.handler())(*this, signal);
    if (action.kind() == SignalAction::Kind::Default) {
        if (signal == Signal::Die) co_await end_by_signal(signal);
        if (signal == Signal::Arrest) co_await stop_until_release();
    }
    if (signal == Signal::Release) signals.stopped = false;
    signals.blocked = static_cast<SignalMask>(signals.blocked & ~held);
}

// Release ends it even when the process holds that back.
Task<> Calls::stop_until_release() {
    SignalState& signals = process_.signals();
    const SignalMask held = signals.blocked & mask_of(Signal::Release);
    signals.blocked = static_cast<SignalMask>(signals.blocked & ~held);
    signals.stopped = true;
    while (signals.stopped) {
        co_await kernel_.await_signal(process_, events::stop);
        co_await run_handlers();
    }
    signals.blocked = static_cast<SignalMask>(signals.blocked | held);
}

// The calling process ends here. It cannot be stopped while it runs, so it waits until its slot has another.
Task<> Calls::end_by_signal(Signal signal) {
    process_.signals().blocked = all_signals;
    if (process_.farewell_ != nullptr) co_await process_.farewell_(*this, pid(), -static_cast<std::int32_t>(signal));
    co_await settle();
    kernel_.retire(process_);
    while (true) co_await wait();
}

SignalAction Calls::ksignal(Signal signal, SignalAction action) {
    SignalState& signals = process_.signals();
    if (!signals.actions) signals.actions = std::make_unique<std::array<SignalAction, 9>>();
    return std::exchange((*signals.actions)[static_cast<std::size_t>(signal)], std::move(action));
}

Task<SignalMask> Calls::ksigsetmask(SignalMask mask) {
    SignalState& signals = process_.signals();
    const SignalMask old = std::exchange(signals.blocked, static_cast<SignalMask>(mask & all_signals));
    while (signals.any()) co_await run_handlers();
    co_return old;
}

Task<SignalMask> Calls::ksigblock(SignalMask more) {
    return ksigsetmask(static_cast<SignalMask>(process_.signals().blocked | more));
}

SignalMask Calls::ksigsetretry(SignalMask mask) {
    return std::exchange(process_.signals().retry, static_cast<SignalMask>(mask & all_signals));
}

SignalMask Calls::ksigretry(SignalMask more) {
    return ksigsetretry(static_cast<SignalMask>(process_.signals().retry | more));
}

Task<Outcome> Calls::kpause() {
    co_await kernel_.await_signal(process_, events::pause);
    co_await run_handlers();
    co_return Outcome::Interrupted;
}

// The creator of a process that ends by it is told. A thread of the process ends with it, so that one tells before.
Task<> Calls::send_signal(Process& target, Signal signal) {
    const Farewell farewell = target.farewell_;
    const vocabulary::ProcessId pid = target.pid();
    const SignalState& its = target.signals();
    const bool dies =
        signal == Signal::Die && !has(its.blocked, signal) && its.action(signal).kind() == SignalAction::Kind::Default;
    if (dies && process_.owner_ == &target) {
        if (farewell != nullptr) co_await farewell(*this, pid, -static_cast<std::int32_t>(signal));
        co_await settle();
        kernel_.doom(target, &process_);
        while (true) co_await wait();
    }
    kernel_.signal(target, signal, &process_);
    if (farewell != nullptr && target.pid() == pid && target.state() == ProcessState::Ended)
        co_await farewell(*this, pid, -static_cast<std::int32_t>(signal));
}

Task<Error> Calls::kdoom(vocabulary::ProcessId pid, std::int32_t number) {
    port_.charge(kernel_.half_);
    co_await settle();
    const bool itself = pid == vocabulary::ProcessId() || pid == this->pid();
    Process* target = itself ? &process_ : kernel_.find(pid);
    if (target == nullptr || target->state() == ProcessState::Ended) co_return Error::NotProcess;
    const auto signal = signal_of(number);
    if (!signal) co_return Error::Invalid;
    if (target->kernel_priority() > 0) co_return Error::Service;
    if (!itself) {
        co_await send_signal(*target, *signal);
        co_return Error::None;
    }
    process_.signals().post(*signal);
    kernel_.signal_threads(process_, *signal, &process_);
    if (process_.signals().any()) co_await run_handlers();
    co_return Error::None;
}

Task<std::optional<ProcessStatus>> Calls::kstate(vocabulary::ProcessId pid) {
    port_.charge(kernel_.half_);
    co_await settle();
    const Process* process = pid == vocabulary::ProcessId() ? &process_ : kernel_.find(pid);
    if (process == nullptr || process->state() == ProcessState::Ended) co_return std::nullopt;
    co_return kernel_.status(*process);
}

}  // namespace trollius_os
