#include "history_judge.hpp"

#include <algorithm>

namespace testing_support {

static std::string function_name(UserFunction function) {
    switch (function) {
        case UserFunction::Generate:
            return "data_generator()";
        case UserFunction::Compute:
            return "comp_fn()";
        case UserFunction::Split:
            return "split_fn()";
        case UserFunction::Join:
            return "join_fn()";
        case UserFunction::Receive:
            return "result_receiver()";
    }
    return "";
}

static bool is_true(const tmon_detrek::Verdict& verdict, std::size_t place, const std::vector<TrueStop>& stops) {
    for (const TrueStop& stop : stops) {
        if (verdict.process.find(function_name(stop.function)) == std::string::npos) continue;
        if (stop.function == UserFunction::Receive) return true;
        if (stop.task == verdict.task && stop.subtask == verdict.subtasks[place] && stop.node == verdict.nodes[place])
            return true;
    }
    return false;
}

namespace {

std::uint32_t units(const farm_spec::FarmSpec& spec) {
    return (spec.tasks + spec.granularity - 1) / spec.granularity;
}

bool is_below(const farm_spec::FarmSpec& spec, std::uint16_t node, std::uint16_t top) {
    for (std::optional<vocabulary::NodeId> at(node); at; at = spec.parent(*at)) {
        if (at->value() == top) return true;
    }
    return false;
}

// True for the sub-task itself, and for a part of it made on that node or below.
bool is_part(const farm_spec::FarmSpec& spec, const TrueStop& piece, std::uint32_t task, SubTaskId whole, std::uint16_t node) {
    const SubTaskId digits = (SubTaskId{1} << (4 * (spec.level(vocabulary::NodeId(node)) + 1))) - 1;
    return piece.task == task && (piece.subtask & digits) == whole;
}

// A place that is no narrower than a node: something of the sub-task lies there, or was lost there.
bool lies_there(const tmon_detrek::Verdict& verdict, std::size_t place, const FarmHistory& history) {
    const farm_spec::FarmSpec& spec = history.records.spec();
    const std::uint16_t node = verdict.nodes[place];
    const auto fits = [&](const TrueStop& piece) {
        if (!is_part(spec, piece, *verdict.task, verdict.subtasks[place], node)) return false;
        return piece.node == node || std::any_of(verdict.behind.begin(), verdict.behind.end(),
                                                 [&](std::uint16_t child) { return is_below(spec, piece.node, child); });
    };
    return std::any_of(history.left.begin(), history.left.end(), fits) ||
           std::any_of(history.stops.begin(), history.stops.end(), fits);
}

std::string finished_defect(const tmon_detrek::Verdict& verdict, const FarmHistory& history) {
    const std::uint32_t each = history.records.spec().granularity;
    for (std::uint32_t task = 0; task < verdict.finished_below; task += each) {
        if (history.at_home.count(task) == 0 || history.in_part.count(task) > 0)
            return "a task below finished_below is missing";
    }
    for (std::uint32_t task = 0; task < verdict.bundles_back_below.value_or(0); task += each) {
        if (history.at_home.count(task) == 0) return "a bundle below bundles_back_below is missing";
    }
    return "";
}

}  // namespace

std::string defect(const tmon_detrek::Verdict& verdict, const FarmHistory& history) {
    if (std::string wrong = finished_defect(verdict, history); !wrong.empty()) return wrong;
    if (verdict.kind == tmon_detrek::VerdictKind::None)  // a fault after the last result harms nobody
        return history.at_home.size() == units(history.records.spec()) ? "" : "not everything came home";
    if (verdict.kind != tmon_detrek::VerdictKind::Certain) return "";
    if (verdict.nodes.empty()) return "certain of nothing";
    for (std::size_t place = 0; place < verdict.nodes.size(); ++place) {
        const bool of_manager = verdict.nodes[place] == 0;
        const bool right =
            verdict.in_process || of_manager ? is_true(verdict, place, history.stops) : lies_there(verdict, place, history);
        if (!right) return "no such fault";
        if (history.never_begun == verdict.nodes[place]) return "the node only waits for its monitor to begin";
    }
    if (verdict.process == "result_receiver()") return "";
    if (!history.in_part.empty()) return "certain of the first, and a task of a bundle is missing";
    for (const TrueStop& stop : history.stops) {
        const bool lost = stop.function != UserFunction::Receive && history.at_home.count(stop.task) == 0;
        if (lost && stop.task < *verdict.task) return "an earlier task failed";
    }
    return "";
}

bool names_a_stop(const tmon_detrek::Verdict& verdict, const FarmHistory& history) {
    return is_true(verdict, 0, history.stops);
}

std::string described(const FarmScenario& scenario, const FarmHistory& history) {
    const farm_spec::FarmSpec& spec = scenario.spec;
    std::string text = "parents";
    for (std::uint32_t node = 1; node < spec.nodes; ++node) {
        const auto parent = spec.parent(vocabulary::NodeId(static_cast<std::uint16_t>(node)));
        text += parent ? " " + std::to_string(parent->value()) : " -";
    }
    text += ", tasks " + std::to_string(spec.tasks) + ", degree " + std::to_string(spec.degree) + ", granularity " +
            std::to_string(spec.granularity) + ", " + farm_spec::policy_name(spec.policy) + (spec.survives ? ", survives" : "");
    for (const Fault& fault : scenario.faults) {
        text += "; " + function_name(fault.function) + " " + std::to_string(fault.task) +
                (fault.node ? " on " + std::to_string(*fault.node) : "") + " kind " +
                std::to_string(static_cast<int>(fault.what)) + (fault.kills_node ? " kills" : " hangs") +
                (fault.ends_program ? ", ends" : "");
    }
    for (const Strike& strike : scenario.strikes)
        text += "; hardware " + std::to_string(static_cast<int>(strike.what)) + " at " + std::to_string(strike.node) +
                " step " + std::to_string(strike.step);
    if (scenario.never_begun) text += "; never begun " + std::to_string(*scenario.never_begun);
    for (const TrueStop& stop : history.stops) {
        text += "; stop " + function_name(stop.function) + " " + std::to_string(stop.task) + " on " + std::to_string(stop.node);
    }
    return text;
}

}  // namespace testing_support
