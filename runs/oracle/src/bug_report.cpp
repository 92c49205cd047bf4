#include <oracle/bug_report.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <oracle/truth_judge.hpp>
#include <scenario/bug_list_file.hpp>
#include <tmon_detrek/verdict.hpp>

#include <text/time_text.hpp>

namespace oracle {
namespace {

using ground_truth::TrueBug;
using tmon_detrek::VerdictKind;
using trek_kernel::Bug;
using trek_kernel::PlannedBug;

std::string subtask_text(std::uint32_t subtask) {
    return fmt::format("{:04x}", subtask);
}

// By planted bug: its strikes in true order. Strikes of a .dat file and of a process that was never created do not name their
// bug.
std::vector<std::vector<const TrueBug*>> strikes_by_bug(const std::vector<PlannedBug>& planted,
                                                        const oracle::SessionResult& result) {
    std::vector<std::vector<const TrueBug*>> strikes(planted.size());
    for (const TrueBug& strike : result.truth.bugs()) {
        if (strike.bug.planted >= 0) {
            strikes[static_cast<std::size_t>(strike.bug.planted)].push_back(&strike);
            continue;
        }
        const auto found = std::find_if(planted.begin(), planted.end(), [&](const PlannedBug& bug) {
            const bool unnamed = bug.of_dat_file || bug.bug == Bug::NeverStarted;
            return unnamed && static_cast<int>(bug.bug) == strike.bug.bug &&
                   bug.selects(strike.bug.node, strike.bug.process, {strike.bug.task, strike.bug.subtask});
        });
        if (found != planted.end()) strikes[static_cast<std::size_t>(found - planted.begin())].push_back(&strike);
    }
    return strikes;
}

struct Visible {
    VerdictKind kind = VerdictKind::None;
    std::string why;
};

// Finds how much of a strike messages alone could show: by the analysis itself, on records without gaps.
class Observer {
public:
    Observer(const scenario::Scenario& scenario, const oracle::SessionResult& result) : spec_(scenario.farm) {
        for (const EndMarks marks : {EndMarks::All, EndMarks::NotOfCrashed, EndMarks::NotOfSilent}) {
            traces_.push_back(true_trace(scenario, result, marks));
            analyses_.push_back(tmon_detrek::analyse(traces_.back(), spec_));
        }
        for (const trace_record::Event& event : result.truth.events()) {
            const bool sent = event.kind == trace_record::EventKind::Send;
            under_way_[{sent ? event.node : event.peer, event.task, event.subtask, event.is_result}] += sent ? 1 : -1;
        }
    }

    // The first of these that holds. A verdict is certain of the strike. A record contradicts the specification; that does not
    // tell the sub-task that the function had in hand. A verdict finds it likely, or lists it behind the first stop. A message
    // never arrived.
    Visible of(const PlannedBug& planted, const TrueBug& strike) const {
        Visible best{VerdictKind::None, trek_kernel::info_of(planted.bug).seen};
        if (contradicts(planted, strike))
            best = {VerdictKind::Likely, "a message of this process contradicts the specification"};
        for (const tmon_detrek::Analysis& analysis : analyses_) {
            const tmon_detrek::Verdict& verdict = analysis.verdict;
            const bool found = verdict.kind == VerdictKind::Certain || verdict.kind == VerdictKind::Likely;
            if (found && names(verdict, planted, strike)) {
                if (best.kind != VerdictKind::Certain) best = {verdict.kind, verdict.sentence};
            } else if (best.kind == VerdictKind::None && lists(verdict, strike)) {
                best = {VerdictKind::Likely, "a stop that no other explains, behind the first"};
            } else if (found && best.kind == VerdictKind::None) {
                best.why = "the messages lead elsewhere: " + verdict.sentence;
            }
        }
        const bool of_messages = trek_kernel::info_of(planted.bug).of == trek_kernel::BugClass::Messages;
        if (best.kind == VerdictKind::None && of_messages && never_arrived(planted, strike))
            return {VerdictKind::Likely, "a message of this process was sent and never received; it may have been the link"};
        return best;
    }

private:
    // Records name a bundle by its first task.
    std::uint32_t bundle_of(std::uint32_t task) const { return task - task % spec_.granularity; }
    static bool is_of_process(const std::string& text, const TrueBug& strike) {
        return text.find(name_of(strike.bug.process)) != std::string::npos;
    }

    bool names(const tmon_detrek::Verdict& verdict, const PlannedBug& planted, const TrueBug& strike) const {
        if (!is_of_process(verdict.process, strike)) return false;
        const bool manager_died = planted.bug == Bug::NodeCrash && strike.bug.node.value() == 0;
        const bool any_task =
            planted.bug == Bug::NeverStarted || manager_died || strike.bug.process == trek_kernel::UserProcess::PostProcess;
        if (!any_task && verdict.task != bundle_of(strike.bug.task)) return false;
        return std::find(verdict.nodes.begin(), verdict.nodes.end(), strike.bug.node.value()) != verdict.nodes.end();
    }

    bool lists(const tmon_detrek::Verdict& verdict, const TrueBug& strike) const {
        return std::any_of(verdict.other_primary.begin(), verdict.other_primary.end(), [&](const tmon_detrek::StopPlace& stop) {
            return stop.task == bundle_of(strike.bug.task) && stop.node == strike.bug.node.value() &&
                   is_of_process(std::string(tmon_detrek::process_name(stop.process)), strike);
        });
    }

    // A contradictory record of a message that the node itself sent.
    bool contradicts(const PlannedBug& planted, const TrueBug& strike) const {
        const auto& findings = analyses_.front().graphs.first_findings();
        return std::any_of(findings.begin(), findings.end(), [&](const tmon_detrek::Finding& finding) {
            if (finding.node != strike.bug.node.value()) return false;
            const trace_record::Event& event = finding.event;
            const bool this_task =
                event.task == bundle_of(strike.bug.task) || (planted.identity && event.task == bundle_of(*planted.identity));
            return this_task && event.kind == trace_record::EventKind::Send;
        });
    }

    bool never_arrived(const PlannedBug& planted, const TrueBug& strike) const {
        return std::any_of(under_way_.begin(), under_way_.end(), [&](const auto& message) {
            const auto& [node, task, subtask, is_result] = message.first;
            return message.second > 0 && node == strike.bug.node.value() &&
                   (task == bundle_of(strike.bug.task) || (planted.identity && task == bundle_of(*planted.identity)));
        });
    }

    farm_spec::FarmSpec spec_;
    std::vector<tmon_streams::Trace> traces_;
    std::vector<tmon_detrek::Analysis> analyses_;  // of each trace
    // By sender, task, sub-task and direction: messages that were sent and not received.
    std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, std::uint8_t>, int> under_way_;
};

nlohmann::ordered_json strike_json(const PlannedBug& planted, const TrueBug& strike, const Visible& visible) {
    nlohmann::ordered_json json = {{"time_ps", strike.time.in_ps()}, {"node", strike.bug.node.value()}};
    const bool of_task = trek_kernel::info_of(planted.bug).of_a_task();
    if (of_task) {
        json["task"] = strike.bug.task;
        json["subtask"] = subtask_text(strike.bug.subtask);
    }
    json["process"] = name_of(strike.bug.process);
    if (!strike.bug.detail.empty()) json["detail"] = strike.bug.detail;
    nlohmann::ordered_json& seen = json["visible"] = {{"verdict", tmon_detrek::verdict_kind_name(visible.kind)}};
    if (visible.kind != VerdictKind::None) {
        if (of_task) seen["task"] = strike.bug.task;
        if (of_task) seen["subtask"] = subtask_text(strike.bug.subtask);
        seen["process"] = name_of(strike.bug.process);
        seen["node"] = strike.bug.node.value();
    }
    seen["why"] = visible.why;
    return json;
}

std::string origin_of(const PlannedBug& bug) {
    if (bug.of_dat_file) return "task description file";
    return bug.where.line > 0 ? "bug list, line " + std::to_string(bug.where.line) : "setting bug";
}

nlohmann::ordered_json bug_json(const PlannedBug& bug) {
    const trek_kernel::BugInfo& info = trek_kernel::info_of(bug.bug);
    return {{"kind", info.name}, {"class", class_name(info.of)}, {"text", bug_text(bug)}, {"from", origin_of(bug)}};
}

}  // namespace

std::string bugs_text(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    const std::vector<PlannedBug> planted = scenario::planted_bugs(scenario);
    if (planted.empty()) return {};
    constexpr std::size_t most_lines = 20;
    const auto strikes = strikes_by_bug(planted, result);
    std::string text = "\n  planted bugs\n";
    for (std::size_t i = 0; i < std::min(planted.size(), most_lines); ++i) {
        std::string outcome = "never struck";
        if (!strikes[i].empty()) {
            const TrueBug& first = *strikes[i].front();
            outcome = fmt::format("struck{} on n{} at {}",
                                  strikes[i].size() > 1 ? fmt::format(" {} times, first", strikes[i].size()) : "",
                                  first.bug.node.value(), text::time_text(first.time));
        }
        fmt::format_to(std::back_inserter(text), "  {:>3} {}: {}\n", i + 1, bug_text(planted[i]), outcome);
    }
    if (planted.size() > most_lines) text += fmt::format("      and {} more\n", planted.size() - most_lines);
    return text;
}

nlohmann::ordered_json planted_json(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    constexpr std::size_t most_strikes = 1000;
    auto json = nlohmann::ordered_json::array();
    const std::vector<PlannedBug> planted = scenario::planted_bugs(scenario);
    const auto strikes = strikes_by_bug(planted, result);
    std::optional<Observer> observer;
    if (!result.truth.bugs().empty() && !planted.empty()) observer.emplace(scenario, result);
    for (std::size_t i = 0; i < planted.size(); ++i) {
        nlohmann::ordered_json line = bug_json(planted[i]);
        line["struck"] = strikes[i].size();
        line["strikes"] = nlohmann::ordered_json::array();
        for (std::size_t k = 0; k < std::min(strikes[i].size(), most_strikes); ++k) {
            const TrueBug& strike = *strikes[i][k];
            line["strikes"].push_back(strike_json(planted[i], strike, observer->of(planted[i], strike)));
        }
        json.push_back(std::move(line));
    }
    return json;
}

std::string standing_text(const oracle::SessionResult& result) {
    constexpr std::size_t most_lines = 12;
    std::string text;
    std::size_t shown = 0;
    for (const trek_kernel::Standing& line : result.simulated.standing) {
        if (!result.observed.nodes[line.node.value()].answers) continue;
        if (++shown > most_lines) continue;
        text += fmt::format("  {:<12} n{}: {} {}\n", shown == 1 ? "standing" : "", line.node.value(), name_of(line.process),
                            line.text);
    }
    if (shown > most_lines) text += fmt::format("  {:<12} and {} more processes\n", "", shown - most_lines);
    return text;
}

std::string first_standing_text(const oracle::SessionResult& result) {
    for (const trek_kernel::Standing& line : result.simulated.standing)
        if (result.observed.nodes[line.node.value()].answers)
            return fmt::format("n{}: {} {}", line.node.value(), name_of(line.process), line.text);
    return {};
}

nlohmann::ordered_json standing_json(const oracle::SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (const trek_kernel::Standing& line : result.simulated.standing) {
        if (!result.observed.nodes[line.node.value()].answers) continue;
        json.push_back({{"node", line.node.value()}, {"process", name_of(line.process)}, {"text", line.text}});
    }
    return json;
}

}  // namespace oracle
