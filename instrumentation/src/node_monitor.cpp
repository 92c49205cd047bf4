#include <instrumentation/node_monitor.hpp>

#include <utility>

#include <instrumentation/accounts.hpp>
#include <instrumentation/monctrl.hpp>

namespace instrumentation {

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

void NodeMonitor::nodemon(Api& api) {
    if (std::exchange(loaded_, true)) return api.kernel().drop("nodemon", "a second monitor on the node");
    const std::uint64_t buffer_bytes = state_.buffers.room() * state_.costs.record_bytes;
    state_.ledger.memory_bytes = buffer_bytes + state_.costs.program_bytes;
    const bool room = api.port().take_memory(buffer_bytes);
    const bool manages = create_process(api, "nodemon.manager", [this](Api& its) { manager_.run(its); });
    const bool takes_interrupts =
        !state_.is_tmon() || create_process(api, "nodemon.backend", [this](Api& its) { backend_.run(its); });
    short_of_memory_ = !room || !manages || !takes_interrupts;
    api.kernel().set_monitor(this);
    attach(api.kernel());
    api.port().on_behalf_of(accounts::trace_message);
    while (true) control(api);
}

bool NodeMonitor::create_process(Api& api, const char* name, std::function<void(Api&)> code) {
    return api.kernel().create({name, Priority::High, 0, api.kernel().costs().service_stack, std::move(code)}) != nullptr;
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

OverheadLedger NodeMonitor::ledger(const trollius_os::Kernel& kernel) const {
    OverheadLedger ledger = state_.ledger;
    for (vocabulary::SimTime* time : {&ledger.probe, &ledger.meter, &ledger.manager, &ledger.policy, &ledger.backend})
        *time = kernel.lasts(*time);
    return ledger;
}

void NodeMonitor::control(Api& api) {
    Message message{.event = events::nodemon};
    api.nrecv(message);
    // A misread command could make the node report a whole trace that has only begun.
    const auto command = decode_command(message);
    if (!command || !obey(api, *command)) return api.kernel().drop("nodemon", "a damaged command");
    if (command->what != Control::Quit) answer_command(api, *command);
}

bool NodeMonitor::obey(Api& api, const ControlCommand& command) {
    switch (command.what) {
        case Control::Begin:
            begin(api);
            return true;
        case Control::Quit:
            end(api);
            return true;
        case Control::Classes:
            set_classes(api, ClassSet::from_bits(static_cast<std::uint8_t>(command.classes)), command.on != 0);
            return true;
        case Control::Stop:
            if (!state_.is_tmon()) return false;
            if (!on()) return true;
            state_.phase = MonitorPhase::Off;
            state_.wake_manager(api);
            return true;
    }
    return false;
}

void NodeMonitor::begin(Api& api) {
    if (state_.phase != MonitorPhase::Off) return;
    api.port().settle();
    state_.phase = MonitorPhase::On;
    if (!std::exchange(state_.has_begun, true)) {
        state_.ledger.began = api.port().now();
        state_.began_us = api.port().clock_us(Priority::High);  // the clock is reset, once, and drifts from now on
        backend_.start_sample(api);
    }
    for (trollius_os::Thread* thread : std::exchange(state_.wait_for_begin, {})) api.port().wake(*thread);
    state_.wake_manager(api);
    if (finished_before_begin_) end(api);
}

void NodeMonitor::end(Api& api) {
    if (state_.phase == MonitorPhase::Ended) return;
    state_.phase = MonitorPhase::Ending;
    state_.wake_manager(api);
}

void NodeMonitor::finish(Api& api) {
    const bool stopped = state_.is_tmon() && state_.phase == MonitorPhase::Off;
    if (on() || stopped) return end(api);
    finished_before_begin_ = state_.phase == MonitorPhase::Off;
}

void NodeMonitor::set_classes(Api& api, ClassSet classes, bool on) {
    for (std::uint8_t i = 0; i < trace_record::event_classes; ++i) {
        const auto which = static_cast<EventClass>(i);
        if (!classes.has(which) || which == EventClass::Clock) continue;  // Tmon always records it, Tmon-de never
        if (on) {
            state_.classes.add(which);
        } else {
            state_.classes.remove(which);
        }
    }
    attach(api.kernel());
}

void NodeMonitor::user_event(Api& api, std::uint32_t number, std::uint64_t value) {
    record({.task = number,
            .subtask = static_cast<std::uint32_t>(value),
            .bytes = static_cast<std::uint32_t>(value >> 32),
            .kind = trace_record::EventKind::User},
           api);
}

bool NodeMonitor::switch_classes(Api& api, const std::string& classes, bool on) {
    const auto set = trace_record::classes_named(classes);
    if (set && !state_.costs.probes_off) set_classes(api, *set, on);
    return set.has_value();
}

}  // namespace instrumentation
