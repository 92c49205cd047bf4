// The calls about signals, the kernel's table and time. A handler runs on the program's stack, in the middle of a call. Then
// trollius_os makes the call again, or ends it.
#include <user_programs/call_gate.hpp>

#include "node_process.hpp"

namespace node_programs {

using trollius_os::Error;
using trollius_os::Signal;
using trollius_os::SignalAction;

namespace {

int error_of(Error error) {
    switch (error) {
        case Error::None:
            return 0;
        case Error::NotProcess:
            return -ENOTPROCESS;
        case Error::Service:
            return -ESERVICE;
        default:
            return -EINVAL;
    }
}

void call_refuse_handler() {
    static_cast<NodeProcess*>(user_programs::ProgramProcess::current())->refuse_handler();
}

}  // namespace

// In a call of the program, which ends here.
void NodeProcess::refuse_handler() {
    stop(user_programs::Problem::WrongCall, "begins a handler in " + std::to_string(most_handlers) + " others",
         "return from handlers; one that jumps out by longjmp() counts for good");
}

// On the caller's stack. Delivers what has come while signals waited.
void NodeProcess::take_signals() {
    trollius_os::Api& api = seat_.api();
    if (api.process().signals().any()) api.ksigblock(0);
}

// On the caller's stack, in the middle of a call.
void NodeProcess::run_handler(Signal signal) {
    const auto number = static_cast<int>(signal);
    const ksighandler handler = handlers_[static_cast<std::size_t>(number)];
    Call interrupted = std::exchange(call_, Call());
    const bool too_many = ++handlers_begun_ > most_handlers;
    interrupt(
        [handler, number, too_many] { too_many ? user_programs::CallGate<call_refuse_handler>::call() : handler(number); });
    --handlers_begun_;
    call_ = std::move(interrupted);
}

int NodeProcess::handle(int number, ksighandler handler, ksighandler* old) {
    notice(user_programs::about_an_allocation);
    const auto signal = trollius_os::signal_of(number);
    if (!signal || handler == SIGUERR) return -EINVAL;
    *old = handlers_[static_cast<std::size_t>(number)];
    install(*signal, handler);
    return 0;
}

void NodeProcess::install(Signal signal, ksighandler handler) {
    handlers_[static_cast<std::size_t>(signal)] = handler;
    SignalAction action;
    if (handler == SIGUIGN) {  // NOLINT(performance-no-int-to-ptr): a handler's number in C
        action = SignalAction::ignore();
    } else if (handler != SIGUDFL) {
        action = SignalAction::handle([this](trollius_os::Api&, Signal which) { run_handler(which); });
    }
    seat_.api().ksignal(signal, std::move(action));
}

int NodeProcess::signal_mask(int which, int mask) {
    const auto wanted = static_cast<trollius_os::SignalMask>(mask & trollius_os::all_signals);
    on_caller([this, which, wanted] {
        trollius_os::Api& api = seat_.api();
        trollius_os::SignalMask old = 0;
        if (which == TROLLIUS_SIGBLOCK) old = api.ksigblock(wanted);
        if (which == TROLLIUS_SIGSETMASK) old = api.ksigsetmask(wanted);
        if (which == TROLLIUS_SIGRETRY) old = api.ksigretry(wanted);
        if (which == TROLLIUS_SIGSETRETRY) old = api.ksigsetretry(wanted);
        call_.mask = old;
    });
    notice(user_programs::about_an_allocation);
    return call_.mask;
}

int NodeProcess::pause() {
    on_caller([this] {
        seat_.api().kpause();
        seat_.api().settle();
    });
    return -EINTR;
}

int NodeProcess::signal_process(int number, int signal) {
    if (number < 0) return -ENOTPROCESS;
    on_caller([this, number, signal] {
        call_.error = seat_.api().kdoom(vocabulary::ProcessId(static_cast<std::uint32_t>(number)), signal);
        seat_.api().settle();
    });
    return error_of(call_.error);
}

int NodeProcess::kernel_state(int number, kstatus* status) {
    require("kstate", "a status", status, sizeof *status, true);
    if (number < 0) return -ENOTPROCESS;
    on_caller([this, number] {
        call_.status = seat_.api().kstate(vocabulary::ProcessId(static_cast<std::uint32_t>(number)));
        seat_.api().settle();
        take_signals();
    });
    if (!call_.status) return -ENOTPROCESS;
    *status = {.ks_state = static_cast<int>(call_.status->state),
               .ks_priority = call_.status->priority,
               .ks_signal = call_.status->pending,
               .ks_event = call_.status->event.value(),
               .ks_type = call_.status->type};
    return 0;
}

int NodeProcess::sleep(unsigned long long microseconds) {
    microseconds = sensible("sleep", microseconds);
    on_caller([this, microseconds] {
        trollius_os::Api& api = seat_.api();
        api.settle();
        const auto now = [&api] { return api.port().clock_us(trollius_os::Priority::High); };
        for (const std::uint64_t until = now() + microseconds; now() < until;) api.wait_until_clock(until);
        take_signals();
    });
    return 0;
}

}  // namespace node_programs
