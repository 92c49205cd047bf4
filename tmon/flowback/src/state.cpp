#include <tmon_flowback/state.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <tmon_flowback/origins.hpp>
#include <tmon_flowback/question.hpp>

namespace tmon_flowback {

namespace {

StateVariable variable_at(RecordedRun& run, const EventId& before, const std::string& name, int type, std::uint64_t address,
                          std::uint64_t bytes) {
    StateVariable result{name, {}, {}};
    if (const auto value = bytes_before(run, before, address, bytes)) result.value = value_text(run.program(), *value, type);
    const auto origins = Origins(run).of(before, address, bytes);
    if (origins.size() == 1 && origins.front().event) result.id = run.text_of(*origins.front().event);
    if (origins.size() == 1 && result.value.empty() && !origins.front().may_have_changed &&
        (origins.front().kind == Origin::Kind::Unset || origins.front().kind == Origin::Kind::Allocated))
        result.value = "never set";
    return result;
}

// The variables of the function that the event of the frame sees, each where it lies now.
StateFrame frame_of(RecordedRun& run, const EventId& event, const EventId& before) {
    const Emulation& emulation = run.emulation(event.process, event.interval);
    const Event& its = emulation.events()[event.event];
    const std::uint32_t function = emulation.frames()[its.frame].function;
    const Site& site = run.program().site(its.site);
    StateFrame frame{
        run.program().function(function).name, run.program().place(site), run.program().text_of(site.file, site.line), {}};
    std::vector<const LocalVariable*> seen;
    for (int scope = site.scope; scope != 0; scope = run.program().scope_around(scope)) {
        for (const LocalVariable& each : run.program().variables()) {
            if (each.function == function && each.scope == scope) seen.push_back(&each);
        }
    }
    std::set<std::string> shown;  // a block hides the names of those around it
    for (const LocalVariable* each : seen) {
        for (std::uint32_t i = event.event; i-- > 0;) {
            const Event& begun = emulation.events()[i];
            if (begun.site != each->site || begun.frame != its.frame) continue;
            if (!shown.insert(each->name).second) break;
            frame.variables.push_back(variable_at(run, before, each->name, each->type, begun.address, begun.bytes));
            break;
        }
    }
    return frame;
}

void put(const std::vector<StateVariable>& variables, std::string& text) {
    for (const StateVariable& each : variables)
        text += fmt::format("  {} = {}{}\n", each.name, each.value.empty() ? "?" : each.value,
                            each.id.empty() ? "" : "   [" + each.id + "]");
}

nlohmann::ordered_json json_of(const std::vector<StateVariable>& variables) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const StateVariable& each : variables)
        json.push_back({{"name", each.name},
                        {"value", each.value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(each.value)},
                        {"set_by", each.id}});
    return json;
}

}  // namespace

State state_before(RecordedRun& run, const EventId& event) {
    State state;
    state.at = event;
    std::optional<EventId> at = event;
    while (at) {
        state.frames.push_back(frame_of(run, *at, event));
        at = run.call_of_frame(*at);
    }
    const ProcessLog& log = run.process(event.process);
    const auto& globals = run.program().globals();
    for (std::uint32_t i = 0; i < globals.size(); ++i) {
        const Global& its = globals[i];
        if (its.type == 0 || its.bytes == 0 || its.constant || log.address_of(i) == 0) continue;
        state.globals.push_back(variable_at(run, event, its.name, its.type, log.address_of(i), its.bytes));
    }
    const Interval& interval = log.intervals()[event.interval];
    if (interval.how != Interval::End::Left && event.event >= run.emulation(event.process, event.interval).proved())
        state.doubt = "the log ends before, so the process need not have come there";
    if (const auto& unset = run.emulation(event.process, event.interval).unset_read(); unset && unset->event < event.event)
        state.doubt = "a variable is read before it is set, at " + unset->place;
    state.damaged = run.damage();
    state.differences = run.differences();
    return state;
}

std::string text_of(const RecordedRun& run, const State& state) {
    std::string text = fmt::format("{}, before the event {}\n", run.process(state.at.process).name(), run.text_of(state.at));
    for (const StateFrame& frame : state.frames) {
        text += fmt::format("{}()   {}  {}\n", frame.function, frame.place, frame.text);
        put(frame.variables, text);
    }
    text += "globals\n";
    put(state.globals, text);
    if (!state.doubt.empty()) text += "Not certain: " + state.doubt + "\n";
    for (const std::string& each : state.damaged) text += "Not whole: " + each + "\n";
    return text;
}

nlohmann::ordered_json json_of(const RecordedRun& run, const State& state) {
    nlohmann::ordered_json json = {{"schema", "magicwire.flowback_state/1"},
                                   {"process", run.process(state.at.process).name()},
                                   {"at", run.text_of(state.at)},
                                   {"doubt", state.doubt},
                                   {"damaged", state.damaged},
                                   {"differences", state.differences},
                                   {"frames", nlohmann::ordered_json::array()}};
    for (const StateFrame& frame : state.frames)
        json["frames"].push_back({{"function", frame.function},
                                  {"place", frame.place},
                                  {"text", frame.text},
                                  {"variables", json_of(frame.variables)}});
    json["globals"] = json_of(state.globals);
    return json;
}

}  // namespace tmon_flowback
