// Threads of a program (Trollius' kpar_He, kpar_Na and kpar_Fe): the calls, and how a thread lives.
#include <memory>

#include "node_process.hpp"

namespace node_programs {

using trollius_os::Signal;
using Weight = trollius_os::Calls::Weight;

NodeProcess::NodeProcess(NodeProcess& of, NodeSeat& seat, const Birth& birth)
    : ProgramProcess(ThreadOf{of, *birth.stack}), seat_(seat), name_(of.name_), main_(of), birth_(birth) {
    enter_list();
}

void NodeProcess::require_kernel() {
    if (!is_thread() || birth_->weight != Weight::Light) return;
    stop(Problem::WrongCall, "uses the kernel or the console in a light thread",
         "start it with kpar_Na() or kpar_Fe(): a light thread only computes");
}

void NodeProcess::run_thread() {
    trollius_os::SignalState& signals = seat_.api().process().signals();
    for (const Signal signal : trollius_os::every_signal) {
        const ksighandler handler = birth_->handlers[static_cast<std::size_t>(signal)];
        if (handler != SIGUDFL) install(signal, handler);
    }
    signals.blocked = birth_->blocked;
    signals.retry = birth_->retry;
    run(2, seat_);
    signals.actions.reset();  // the handlers have no stack any more
}

int NodeProcess::kpar(int weight, void (*function)(void*), int stack, void* argument) {
    constexpr std::size_t usual_stack = 16'384;
    const std::size_t bytes = stack == 0 ? usual_stack : require_length("kpar", "a stack", stack);
    if (function == nullptr)
        stop(Problem::NullPointer, "calls kpar() with a function null", "name the function that the thread runs");
    if (!has_room_for_thread()) return -ENOPDESCRIPTORS;
    if (main_.kept_log() != nullptr) main_.kept_log()->cut(flowback_log::Ending::Threads);
    const trollius_os::SignalState& signals = seat_.api().process().signals();
    const Birth birth{static_cast<Weight>(weight),
                      function,
                      argument,
                      handlers_,
                      signals.blocked,
                      signals.retry,
                      std::make_shared<user_programs::ReservedStack>(*this)};
    on_caller([this, &birth, bytes] {
        const auto live = [birth, of = &main_](trollius_os::Api& api) {
            NodeSeat seat(api, of->seat_.report());
            NodeProcess(*of, seat, birth).run_thread();
        };
        trollius_os::Api& api = seat_.api();
        const trollius_os::Process* const made = api.calls().kpar(birth.weight, bytes, live).get();
        call_.result = made == nullptr ? -ENOPDESCRIPTORS : static_cast<int>(made->pid().value());
        api.settle();
        if (birth.weight != Weight::Light) take_signals();
    });
    return birth.weight == Weight::Light && call_.result > 0 ? 0 : call_.result;
}

}  // namespace node_programs
