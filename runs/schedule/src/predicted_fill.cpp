#include "predicted_fill.hpp"

#include <algorithm>
#include <exception>

#include <prediction/formula_prediction.hpp>

namespace schedule {

using trace_record::EventClass;

// A task that comes in or goes out is an event, and so is its result. For the library each receive is two: its call and the
// message.
TaskEvents events_of_tasks(const farm_spec::FarmSpec& farm, const std::vector<double>& computed) {
    TaskEvents events{std::vector<double>(farm.nodes), std::vector<double>(farm.nodes)};
    // From the leaves up; `taken`: tasks, or sub-tasks, that came to a node.
    std::vector<double> taken = computed, given(farm.nodes);
    taken.resize(farm.nodes);
    auto workers = farm.members();
    workers.erase(workers.begin());  // the manager
    std::stable_sort(workers.begin(), workers.end(), [&](auto a, auto b) { return farm.level(a) > farm.level(b); });
    const double parts = farm.divides() ? farm.degree : 1;
    for (const vocabulary::NodeId node : workers) {
        const std::size_t i = node.value();
        taken[i] += given[i] / parts;
        if (const auto up = farm.parent(node)) given[up->value()] += taken[i];
    }
    const double bundles = 1.0 / std::clamp(farm.granularity, 1U, std::max(1U, farm.tasks));
    for (const vocabulary::NodeId node : farm.members()) {
        const std::size_t i = node.value();
        const double received = (i == 0 ? given[i] : taken[i] + given[i]) * bundles;
        const double sent = received;  // a result for each task
        events.task[i] = received + sent;
        events.message[i] = 3 * received + 2 * sent;  // call, sender and end of a receive; call and end of a send
    }
    return events;
}

PredictedFill predicted_fill(const scenario::Scenario& scenario) {
    PredictedFill fill;
    scenario::Scenario without = scenario;
    without.monitor.reset();
    farm_model::Prediction prediction;
    try {
        prediction = prediction::formula_prediction(without);
    } catch (const std::exception& error) {
        fill.refused = error.what();
        return fill;
    }
    if (prediction.total_s <= 0) {
        fill.refused = "the farm has no task";
        return fill;
    }
    fill.caveats = prediction.caveats;
    const instrumentation::MonitorSettings& monitor = *scenario.monitor;
    const TaskEvents events = events_of_tasks(scenario.farm, prediction.tasks_of_node);
    const double span_ms = prediction.total_s * 1e3;
    const bool tmon = monitor.kind == instrumentation::MonitorKind::Tmon;
    const double interrupts = tmon ? 1 / (monitor.interrupt_period.in_seconds() * 1e3) : 0;
    fill.of_node.resize(scenario.farm.nodes);
    for (const vocabulary::NodeId node : scenario.farm.members()) {
        ClassRates& rates = fill.of_node[node.value()];
        const auto put = [&](EventClass which, double per_ms) {
            if (monitor.classes.has(which)) rates[static_cast<std::size_t>(which)] = per_ms;
        };
        put(EventClass::Task, events.task[node.value()] / span_ms);
        if (!scenario.farm.divides()) put(EventClass::Message, events.message[node.value()] / span_ms);
        put(EventClass::Usage, interrupts);
        if (tmon) rates[static_cast<std::size_t>(EventClass::Clock)] = interrupts;
    }
    for (const EventClass which : {EventClass::Message, EventClass::Process, EventClass::User}) {
        const bool counted = which == EventClass::Message && !scenario.farm.divides();
        if (monitor.classes.has(which) && !counted) fill.left_out.add(which);
    }
    return fill;
}

}  // namespace schedule
