#include "verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tmon_detrek {

namespace {

constexpr std::size_t most_places_said = 12;

std::string listed(const std::vector<std::string>& words, const char* before_last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? before_last : ", ";
        text += words[i];
    }
    return text;
}

// "its sub-tasks 0000, 0010 on nodes 4, 6", or only the node for a task that was not split.
std::string places_text(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    std::vector<std::string> ids;
    std::vector<std::string> nodes;
    for (std::size_t i = 0; i < std::min(verdict.nodes.size(), most_places_said); ++i) {
        ids.push_back(subtask_text(verdict.subtasks[i], spec));
        nodes.push_back(std::to_string(verdict.nodes[i]));
    }
    const std::string more =
        verdict.nodes.size() > most_places_said ? fmt::format(" and {} more", verdict.nodes.size() - most_places_said) : "";
    if (!spec.divides()) return fmt::format("on node {}", listed(nodes, ", "));
    if (ids.size() == 1) return fmt::format("its sub-task {} on node {}", ids[0], nodes[0]);
    return fmt::format("its sub-tasks {} on nodes {}{}", listed(ids, ", "), listed(nodes, ", "), more);
}

bool is_bundle(const farm_spec::FarmSpec& spec, std::uint32_t task) {
    return spec.granularity > 1 && task + 1 < spec.tasks;
}

std::string seen_text(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    const std::uint32_t below = verdict.bundles_back_below.value_or(verdict.finished_below);
    if (below == 0)
        return spec.granularity > 1 ? "no bundle was seen to come back before it" : "no task was seen to finish before it";
    if (!verdict.bundles_back_below) return fmt::format("up to task {} every task was seen to finish", below - 1);
    return fmt::format("up to task {} something came back from every bundle", below - 1);
}

bool blames_receiver(const Verdict& verdict) {
    return verdict.process == process_name(Process::ResultReceiver);
}

std::string receiver_text(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    if (!verdict.not_taken && verdict.taken)
        return fmt::format("result_receiver() on node 0 ended early: it took {} of {} results", *verdict.taken, spec.tasks);
    if (!verdict.not_taken)
        return "every task finished, and the program did not end: result_receiver() on node 0 did not return";
    return fmt::format("result_receiver() on node 0 ended early: it did not take the {} of {}",
                       is_bundle(spec, *verdict.not_taken) ? "results" : "result", tasks_words(spec, *verdict.not_taken));
}

// A node that gave an end mark lives.
std::string cannot_tell_text(const Verdict& verdict) {
    return verdict.silent.empty() ? "no record tells whether the function or a link failed"
                                  : "no record tells whether the function, a node or a link failed";
}

// ", which fell silent", when all places did; else "; node 5 fell silent" for some.
std::string silent_places_text(const Verdict& verdict) {
    std::vector<std::uint16_t> some;
    for (const std::uint16_t node : verdict.silent) {
        const auto& at = verdict.nodes;
        if (std::find(at.begin(), at.end(), node) != at.end()) some.push_back(node);
    }
    if (some.empty()) return "";
    const bool all = std::all_of(verdict.nodes.begin(), verdict.nodes.end(),
                                 [&](std::uint16_t node) { return std::find(some.begin(), some.end(), node) != some.end(); });
    return all ? ", which fell silent" : "; " + nodes_text(some) + " fell silent";
}

// "in comp_fn(): on node 4", or wider where the records allow more of the node and its links.
std::string where_text(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    const std::string places = places_text(verdict, spec);
    if (!verdict.behind.empty()) {
        const std::string there = !spec.divides() ? "there" : places;
        return fmt::format("in or behind {}, {} {} fell silent: in {} {}, or passed on", nodes_text(verdict.nodes),
                           verdict.behind.size() == 1 ? "whose child" : "whose children", nodes_text(verdict.behind),
                           verdict.process.substr(0, verdict.process.rfind(" or ")), there);
    }
    if (verdict.in_process) return fmt::format("in {}: {}", verdict.process, places);
    return fmt::format("in {}, or before or behind it: {}{}", verdict.process, places, silent_places_text(verdict));
}

std::string certain_text(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    if (blames_receiver(verdict)) return "Certain: " + receiver_text(verdict, spec);
    if (verdict.process == process_name(Process::DataGenerator)) {
        return fmt::format("Certain: data_generator() on node 0 stopped at {}, which {} never sent; {}",
                           tasks_words(spec, *verdict.task), was_word(spec, *verdict.task), cannot_tell_text(verdict));
    }
    return fmt::format("Certain: {} stopped {}; no lost record could change this, and {}", tasks_words(spec, *verdict.task),
                       where_text(verdict, spec), cannot_tell_text(verdict));
}

// "; node 5 fell silent; its tasks were issued again"
std::string survival_text(const Verdict& verdict) {
    if (verdict.fell_silent.empty()) return "";
    const char* again = verdict.fell_silent.size() == 1 ? "; its tasks were issued again" : "; their tasks were issued again";
    return "; " + nodes_text(verdict.fell_silent) + " fell silent" + (verdict.issued_again ? again : "");
}

std::string depends_text(const Verdict& verdict) {
    constexpr std::size_t most_said = 6;
    std::vector<std::string> said(
        verdict.depends_on.begin(),
        verdict.depends_on.begin() + static_cast<std::ptrdiff_t>(std::min(most_said, verdict.depends_on.size())));
    std::string text = fmt::format("{}", fmt::join(said, "; "));
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (verdict.depends_on.size() > most_said) text += fmt::format(" and {} more", verdict.depends_on.size() - most_said);
    return text;
}

// Every place is a node that fell silent; then the process is only the last that a record shows.
bool died_with_it(const Verdict& verdict) {
    const auto& silent = verdict.fell_silent;
    return !silent.empty() && std::all_of(verdict.nodes.begin(), verdict.nodes.end(), [&](std::uint16_t node) {
        return std::find(silent.begin(), silent.end(), node) != silent.end();
    });
}

// "a result of task 31 for node 2": the message that a record tells of.
std::string message_text(const Event& event, const farm_spec::FarmSpec& spec) {
    std::string text = fmt::format("{} {}", event.is_result != 0 ? "a result of task" : "task", event.task);
    if (spec.divides()) text += fmt::format(", sub-task {},", subtask_text(event.subtask, spec));
    return text + fmt::format(" {} node {}", event.kind == EventKind::Send ? "sent to" : "received from", event.peer);
}

std::string contradiction_said(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    const Event& event = verdict.contradiction->event;
    return fmt::format("record n{}:{}, {}, is {}", verdict.contradiction->node, event.seq, message_text(event, spec),
                       contradiction_text(verdict.contradiction->kind));
}

std::string also_text(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    std::vector<std::string> words;
    for (const PossiblePlace& place : verdict.also_possible) words.push_back(possible_text(place, spec));
    return words.empty() ? "" : "; also possible: " + listed(words, ", ");
}

std::string stop_text(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    if (verdict.contradiction && verdict.task) {
        return fmt::format("{} went wrong in {} on node {}: {}", tasks_words(spec, *verdict.task), verdict.process,
                           verdict.nodes.front(), contradiction_said(verdict, spec));
    }
    if (verdict.dropped_by) {
        return fmt::format("{} was lost in a message that node {} dropped: spoilt in {} on node {}, or on the link",
                           tasks_words(spec, *verdict.task), *verdict.dropped_by, verdict.process, verdict.nodes.front());
    }
    if (blames_receiver(verdict)) return receiver_text(verdict, spec);
    if (!verdict.task) {
        return "every task finished, and the program did not end: " + nodes_text(verdict.fell_silent) + " fell silent";
    }
    const std::string task = tasks_words(spec, *verdict.task);
    const std::string places = places_text(verdict, spec);
    if (verdict.process == process_name(Process::DataGenerator)) {
        return fmt::format("{} stopped in data_generator() on node 0{}", task,
                           verdict.fell_silent.empty() ? "" : "; " + nodes_text(verdict.fell_silent) + " fell silent");
    }
    if (verdict.fell_silent.empty() || spec.survives) return fmt::format("{} stopped in {}: {}", task, verdict.process, places);
    const std::string silent = nodes_text(verdict.fell_silent) + " fell silent";
    if (died_with_it(verdict))
        return fmt::format("{}, and {} stopped there: {}, {} {}", silent, task, places,
                           verdict.arrival_seen ? "last seen in" : "in or before", verdict.process);
    return fmt::format("{} stopped in {}: {}; {}", task, verdict.process, places, silent);
}

std::string likely_text(const Verdict& verdict, const farm_spec::FarmSpec& spec, const std::string& added) {
    const std::string what = stop_text(verdict, spec);
    const bool all_finished = verdict.bundles_back_below.value_or(verdict.finished_below) == spec.tasks;
    return fmt::format("Likely: {}{}{}; not certain: {}{}.", what, added, also_text(verdict, spec), depends_text(verdict),
                       all_finished ? "" : "; " + seen_text(verdict, spec));
}

std::string no_fault_text(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    std::string text = fmt::format("No fault: all {} tasks were seen to finish", spec.tasks);
    if (verdict.reported) {
        text = fmt::format("No fault: the program ended, and its final report says that all {} results came back", spec.tasks);
    } else if (spec.granularity > 1) {
        text = fmt::format(
            "No fault: every bundle of the {} tasks was seen to finish; no record tells whether every task of a bundle came "
            "back with it",
            spec.tasks);
    }
    return text + survival_text(verdict);
}

}  // namespace

const char* verdict_kind_name(VerdictKind kind) {
    switch (kind) {
        case VerdictKind::None:
            return "none";
        case VerdictKind::Certain:
            return "certain";
        case VerdictKind::Likely:
            return "likely";
        case VerdictKind::Unknown:
            break;
    }
    return "unknown";
}

std::string possible_text(const PossiblePlace& place, const farm_spec::FarmSpec& spec) {
    if (!place.node) return "a task of a bundle was lost on its way";
    if (!place.task) return fmt::format("{} on node {}", place.process, *place.node);
    const bool whole = !spec.divides() || place.process == process_name(Process::DataGenerator);
    const std::string part = whole ? "" : fmt::format(", sub-task {},", subtask_text(place.subtask, spec));
    return fmt::format("{}{} in {} on node {}", tasks_words(spec, *place.task), part, place.process, *place.node);
}

std::string nodes_text(const std::vector<std::uint16_t>& nodes) {
    std::vector<std::string> words;
    words.reserve(nodes.size());
    for (const std::uint16_t node : nodes) words.push_back(std::to_string(node));
    return (nodes.size() == 1 ? "node " : "nodes ") + listed(words, " and ");
}

std::string tasks_words(const farm_spec::FarmSpec& spec, std::uint32_t task) {
    return (is_bundle(spec, task) ? "tasks " : "task ") + spec.task_text(task);
}

const char* was_word(const farm_spec::FarmSpec& spec, std::uint32_t task) {
    return is_bundle(spec, task) ? "were" : "was";
}

// "; 12 lost records of node 3 and 1 of node 5 follow from those of their neighbours"
std::string inferred_text(const Verdict& verdict) {
    if (verdict.inferred.empty()) return "";
    std::vector<std::string> words;
    std::uint64_t records = 0;
    for (const auto& each : verdict.inferred) {
        records += each.records;
        const char* what = !words.empty() ? "" : each.records == 1 ? " lost record" : " lost records";
        words.push_back(fmt::format("{}{} of node {}", each.records, what, each.node));
    }
    return fmt::format("; {} {} from those of {} neighbours", listed(words, " and "), records == 1 ? "follows" : "follow",
                       verdict.inferred.size() == 1 ? "its" : "their");
}

void say(Verdict& verdict, const farm_spec::FarmSpec& spec, const std::string& remark) {
    const std::string added = inferred_text(verdict) + (remark.empty() ? "" : "; " + remark);
    switch (verdict.kind) {
        case VerdictKind::None:
            verdict.sentence = no_fault_text(verdict, spec) + added + ".";
            break;
        case VerdictKind::Certain:
            verdict.sentence = certain_text(verdict, spec) + added + ".";
            break;
        case VerdictKind::Likely:
            verdict.sentence = likely_text(verdict, spec, added);
            break;
        case VerdictKind::Unknown:
            if (verdict.farm_never_began) {
                verdict.sentence =
                    "Unknown: the farm did not begin: booting or loading was given up before any task was sent, so no fault of "
                    "the program can be seen.";
                break;
            }
            verdict.sentence =
                fmt::format("Unknown: which task failed first cannot be said: {}{}{}; {}.", depends_text(verdict), added,
                            verdict.contradiction ? "; " + contradiction_said(verdict, spec) : "", seen_text(verdict, spec));
            break;
    }
}

}  // namespace tmon_detrek
