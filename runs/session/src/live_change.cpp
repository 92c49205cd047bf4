#include <session/live_change.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include <scenario/fault_entry.hpp>
#include <scenario/fault_plan_check.hpp>
#include <scenario/settings.hpp>
#include <text/time_text.hpp>
#include <topologies/cost_settings.hpp>

namespace session {
namespace {

using topologies::Fault;
using topologies::FaultVerb;
using vocabulary::InputError;
using vocabulary::SimTime;

bool begins(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

std::string text_of(const scenario::Setting& change) {
    return change.first + "=" + change.second;
}

[[noreturn]] void fail(const scenario::Setting& change, const std::string& message) {
    throw InputError({text_of(change), 0, 0}, message);
}

// Runs the function, and lets its messages point at the change.
template <class Function>
auto told_of(const scenario::Setting& change, Function function) {
    try {
        return function();
    } catch (const InputError& error) {
        fail(change, error.message());
    }
}

// True when NAME= stands there: letters, digits, '.', '_', then '='.
bool is_named(std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
    std::size_t end = first;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.' || text[end] == '_'))
        ++end;
    return end > first && end < text.size() && text[end] == '=';
}

// Why a setting that a scenario has cannot be changed any more; empty: it can, or no setting has that name.
std::string why_not(const scenario::Scenario& scenario, const std::string& name) {
    const scenario::SettingRow* row = scenario::find_setting(name);
    const bool of_monitor = name == "monitor" || begins(name, "monitor.");
    if (of_monitor && !scenario.monitor) return "the scenario is not monitored, and no monitor can be loaded in mid-run";
    if (row != nullptr) return row->why_fixed;
    if (name == "monitor.buffer" || name == "monitor.record" || name == "monitor.program_size")
        return "the nodes' memory was allocated when the monitor was started";
    if (!of_monitor && scenario.costs.has(name)) return "the machine and its kernels were built with it";
    return {};
}

[[noreturn]] void refuse(const scenario::Scenario& scenario, const scenario::Setting& change) {
    const std::vector<std::string>& names = scenario::changeable_names();
    const std::string why = why_not(scenario, change.first);
    if (!why.empty()) {
        fail(change, fmt::format("cannot be changed in mid-run: {}; settings that can change: {} and costs of the monitor such "
                                 "as monitor.probe; for any other start another run with --set",
                                 why, fmt::join(names, ", ")));
    }
    std::vector<std::string> known = scenario.costs.names();
    known.insert(known.end(), names.begin(), names.end());
    const std::string hint = vocabulary::did_you_mean(change.first, known);
    fail(change, fmt::format("there is no '{}' that could be changed{}", change.first,
                             hint.empty() ? fmt::format("; settings that can change: {}", fmt::join(names, ", ")) : hint));
}

Fault fault_of(const scenario::Scenario& scenario, const scenario::Setting& change, SimTime now) {
    return told_of(change, [&] { return scenario::fault_of(scenario, change.second, now); });
}

void check_moments(const Fault& fault, SimTime now, const scenario::Setting& change) {
    if (fault.verb == FaultVerb::Memory)
        fail(change, "a smaller memory holds from power-up; put it into the scenario's fault plan");
    const auto passed = [&](const std::optional<SimTime>& when) { return when && *when < now; };
    if (passed(fault.at) || passed(fault.until)) {
        fail(change, fmt::format("'{}' is to {} at {}, and it is {} already; give a later moment, or none for at once",
                                 topologies::fault_text(fault), passed(fault.at) ? "strike" : "end",
                                 text::time_text(passed(fault.at) ? *fault.at : *fault.until), text::time_text(now)));
    }
}

scenario::Scenario with_plan_file(const scenario::Scenario& scenario, const scenario::Setting& change, SimTime now) {
    const topologies::FaultPlan plan = topologies::read_fault_plan(change.second, scenario.machine);
    scenario::check_fault_plan(plan, scenario.farm);
    for (const Fault& fault : plan.faults) check_moments(fault, now, change);
    scenario::Scenario changed = scenario::with_faults(scenario, plan.faults, plan.seed);
    changed.inputs.push_back({"faults", change.second, scenario::content_hash(change.second)});
    return changed;
}

void check_limit(const scenario::Scenario& before, const scenario::Scenario& after, const scenario::Setting& change,
                 SimTime now) {
    if (after.limit <= now) fail(change, fmt::format("it is {} already; give a later limit", text::time_text(now)));
    if (before.faults && !before.faults->faults.empty() && after.limit > before.limit)
        fail(change,
             "the fault plan was carried out up to the old limit, so the new one cannot be later; start another run with "
             "--set end.limit");
}

bool is_changeable(const scenario::Scenario& scenario, const std::string& name) {
    if (!why_not(scenario, name).empty()) return false;
    return scenario::find_setting(name) != nullptr || (begins(name, "monitor.") && scenario.costs.has(name));
}

LiveSession::Changed part_of(const std::string& name) {
    if (name == "fault" || name == "faults") return LiveSession::Changed::Faults;
    if (name == "seed") return LiveSession::Changed::Seed;
    return begins(name, "monitor.") ? LiveSession::Changed::Monitor : LiveSession::Changed::End;
}

}  // namespace

std::vector<scenario::Setting> parse_changes(const std::string& text) {
    std::vector<scenario::Setting> changes;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.find(',', at);
        while (end != std::string::npos && !is_named(std::string_view(text).substr(end + 1))) end = text.find(',', end + 1);
        end = std::min(end, text.size());
        const std::string one = trimmed(std::string_view(text).substr(at, end - at));
        at = end + 1;
        if (one.empty() && changes.empty() && at >= text.size()) break;
        if (!is_named(one)) throw InputError({text, 0, 0}, "expected NAME=VALUE, for example seed=2, and got '" + one + "'");
        const std::size_t equals = one.find('=');
        changes.emplace_back(one.substr(0, equals), trimmed(std::string_view(one).substr(equals + 1)));
    }
    return changes;
}

scenario::Scenario changed(const scenario::Scenario& scenario, const scenario::Setting& change, SimTime now) {
    if (change.first == "fault") {
        const Fault fault = fault_of(scenario, change, now);
        check_moments(fault, now, change);
        return scenario::with_faults(scenario, {fault}, 1);
    }
    if (change.first == "faults") return with_plan_file(scenario, change, now);
    if (!is_changeable(scenario, change.first)) refuse(scenario, change);
    return told_of(change, [&] {
        scenario::Scenario changed = scenario::with_setting(scenario, change);
        topologies::check_costs(changed.costs, {text_of(change), 0, 0});
        if (change.first == "end.limit") check_limit(scenario, changed, change, now);
        return changed;
    });
}

void check_changes(const scenario::Scenario& scenario, const std::vector<scenario::Setting>& changes, SimTime now) {
    scenario::Scenario tried = scenario;
    for (const scenario::Setting& one : changes) tried = changed(tried, one, now);
    for (const scenario::Setting& one : changes) told_of(one, [&] { scenario::check_monitor_settings(tried, {one}); });
}

void change(LiveSession& session, const std::vector<scenario::Setting>& changes) {
    check_changes(session.scenario(), changes, session.now());
    for (const scenario::Setting& one : changes)
        session.go_by(changed(session.scenario(), one, session.now()), part_of(one.first));
}

}  // namespace session
