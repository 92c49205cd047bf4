#include <instrumentation/node_monitor.hpp>

#include <utility>

#include <instrumentation/accounts.hpp>
#include <instrumentation/monctrl.hpp>

namespace instrumentation {

using coroutines::Task;
using trace_record::ClassSet;
using trace_record::EventClass;
using trollius_os::Message;
using trollius_os::Priority;

NodeMonitor::NodeMonitor(const MonitorCosts& costs, const MonitorSettings& settings, vocabulary::NodeId node,
                         vocabulary::NodeId host)
    : state_(costs, settings, node, host) {
    if (settings.probe) users_probe_ = settings.probe(node);
    if (!users_probe_) return;
    users_probe_->attach(meter_);
    kernel_probe_.set_users_probe(users_probe_.get());
}

Task<> NodeMonitor::nodemon(Calls& calls) {
    if (std::exchange(loaded_, true)) co_return calls.kernel().drop("nodemon", "a second monitor on the node");
    const std::uint64_t buffer_bytes = state_.buffers.room() * state_.costs.record_bytes;
    state_.ledger.memory_bytes = buffer_bytes + state_.costs.program_bytes;
    const bool room = calls.port().take_memory(buffer_bytes);
    const bool manages = create_process(calls, "nodemon.manager", [this](Calls& its) { return manager_.run(its); });
    const bool takes_interrupts =
        !state_.is_tmon() || create_process(calls, "nodemon.backend", [this](Calls& its) { return backend_.run(its); });
    short_of_memory_ = !room || !manages || !takes_interrupts;
    calls.kernel().set_monitor(this);
    attach(calls.kernel());
    calls.port().on_behalf_of(accounts::trace_message);
    while (true) co_await control(calls);
}

bool NodeMonitor::create_process(Calls& calls, const char* name, trollius_os::ProcessCode code) {
    return calls.kernel().create({.name = name,
                                  .priority = Priority::High,
                                  .stack_bytes = calls.kernel().costs().service_stack,
                                  .code = std::move(code),
                                  .thread_of = &calls.process()}) != nullptr;
}

// While no class needs messages or processes, the kernel runs as if there were no probe.
void NodeMonitor::attach(trollius_os::Kernel& kernel) {
    const bool wanted = state_.classes.has(EventClass::Message) || state_.classes.has(EventClass::Process) || users_probe_;
    kernel.set_probe(wanted ? &kernel_probe_ : nullptr);
}

void NodeMonitor::change(const MonitorCosts& costs, const MonitorSettings& settings, trollius_os::Kernel& kernel) {
    state_.change(costs, settings);
    if (loaded_) attach(kernel);
}

void NodeMonitor::note_makers() {
    if (state_.script) return;
    state_.script = std::make_shared<ActScript>();
    state_.script->first = state_.acts;
}

void NodeMonitor::follow(std::vector<std::uint32_t> makers) {
    note_makers();
    state_.script->from = state_.acts;
    state_.script->turns = std::move(makers);
}

void NodeMonitor::go_on_behind(trollius_os::Kernel& kernel) {
    if (!state_.script) return;
    state_.script->free_behind = true;
    for (trollius_os::Thread* thread : state_.script->held) kernel.port().wake(thread).get();
}

void NodeMonitor::release(trollius_os::Kernel& kernel) {
    if (!state_.script) return;
    state_.script->turns.reset();
    for (trollius_os::Thread* thread : state_.script->held) kernel.port().wake(thread).get();
}

OverheadLedger NodeMonitor::ledger(const trollius_os::Kernel& kernel) const {
    OverheadLedger ledger = state_.ledger;
    for (vocabulary::SimTime* time : {&ledger.probe, &ledger.meter, &ledger.manager, &ledger.policy, &ledger.backend})
        *time = kernel.lasts(*time);
    return ledger;
}

Task<> NodeMonitor::control(Calls& calls) {
    Message message{.event = events::nodemon};
    const trollius_os::Outcome got = co_await calls.nrecv(message);
    if (got == trollius_os::Outcome::Interrupted) co_return;
    // A misread command could make the node report a whole trace that has only begun.
    const auto command = decode_command(message);
    bool obeyed = false;
    if (command) obeyed = co_await obey(calls, *command);
    if (!obeyed) co_return calls.kernel().drop("nodemon", "a damaged command");
    if (command->what != Control::Quit) co_await answer_command(calls, *command);
}

Task<bool> NodeMonitor::obey(Calls& calls, const ControlCommand& command) {
    switch (command.what) {
        case Control::Begin:
            co_await begin(calls);
            co_return true;
        case Control::Quit:
            co_await end(calls);
            co_return true;
        case Control::Classes:
            set_classes(calls, ClassSet::from_bits(static_cast<std::uint8_t>(command.classes)), command.on != 0);
            co_return true;
        case Control::Stop:
            if (!on()) co_return true;
            state_.phase = MonitorPhase::Off;
            co_await state_.wake_manager(calls);
            co_return true;
    }
    co_return false;
}

Task<> NodeMonitor::begin(Calls& calls) {
    if (state_.phase != MonitorPhase::Off) co_return;
    co_await calls.settle();
    state_.phase = MonitorPhase::On;
    if (!std::exchange(state_.has_begun, true)) {
        state_.ledger.began = calls.port().now();
        state_.began_us = calls.port().clock_us(Priority::High);  // the clock is reset, once, and drifts from now on
        backend_.start_sample(calls);
    }
    const auto waiting = std::exchange(state_.wait_for_begin, {});
    for (trollius_os::Thread* thread : waiting) co_await calls.wake(thread);
    co_await state_.wake_manager(calls);
    if (finished_before_begin_) co_await end(calls);
}

Task<> NodeMonitor::end(Calls& calls) {
    if (state_.phase == MonitorPhase::Ended) return {};
    state_.phase = MonitorPhase::Ending;
    return state_.wake_manager(calls);
}

Task<> NodeMonitor::finish(Calls& calls) {
    const bool stopped = state_.phase == MonitorPhase::Off && (state_.is_tmon() || state_.has_begun);
    if (on() || stopped) return end(calls);
    finished_before_begin_ = state_.phase == MonitorPhase::Off;
    return {};
}

void NodeMonitor::set_classes(Calls& calls, ClassSet classes, bool on) {
    for (std::uint8_t i = 0; i < trace_record::event_classes; ++i) {
        const auto which = static_cast<EventClass>(i);
        if (!classes.has(which) || which == EventClass::Clock) continue;  // Tmon always records it, Tmon-de never
        if (on) {
            state_.classes.add(which);
        } else {
            state_.classes.remove(which);
        }
    }
    attach(calls.kernel());
}

Task<> NodeMonitor::user_event(Calls& calls, std::uint32_t number, std::uint64_t value) {
    return record({.task = number,
                   .subtask = static_cast<std::uint32_t>(value),
                   .bytes = static_cast<std::uint32_t>(value >> 32),
                   .kind = trace_record::EventKind::User},
                  calls);
}

bool NodeMonitor::switch_classes(Calls& calls, const std::string& classes, bool on) {
    const auto set = trace_record::classes_named(classes);
    if (set && !state_.costs.probes_off) set_classes(calls, *set, on);
    return set.has_value();
}

}  // namespace instrumentation
