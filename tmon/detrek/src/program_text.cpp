#include "program_text.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "verdict_text.hpp"

namespace tmon_detrek {

std::string some_nodes(const std::vector<std::uint16_t>& nodes) {
    constexpr std::size_t most = 12;
    if (nodes.size() <= most) return nodes_text(nodes);
    return nodes_text({nodes.begin(), nodes.begin() + most}) + fmt::format(" and {} more", nodes.size() - most);
}

// "in step_fn() on node 3, which fell silent", or "in Exchanging on node 0 and in step_fn() on node 4"
std::string ProgramText::where(const Verdict& verdict) const {
    std::vector<std::pair<std::string, std::vector<std::uint16_t>>> groups;
    for (std::size_t i = 0; i < verdict.nodes.size(); ++i) {
        if (groups.empty() || groups.back().first != verdict.processes[i]) groups.push_back({verdict.processes[i], {}});
        groups.back().second.push_back(verdict.nodes[i]);
    }
    std::string text;
    for (const auto& [process, nodes] : groups)
        text += fmt::format("{}in {} on {}", text.empty() ? "" : " and ", process, some_nodes(nodes));
    if (verdict.silent == verdict.nodes) return text + ", which fell silent";
    return verdict.silent.empty() ? text : text + "; " + some_nodes(verdict.silent) + " fell silent";
}

std::string ProgramText::seen(const Verdict& verdict) const {
    if (verdict.finished_below == 0) return fmt::format("no {} was seen to complete on every node", model_.unit);
    return fmt::format("each node was seen to complete {} {}{}", model_.unit, verdict.finished_below - 1,
                       verdict.finished_below > 1 ? " and all before it" : "");
}

std::string ProgramText::also(const Verdict& verdict) const {
    std::string text;
    for (const PossiblePlace& place : verdict.also_possible) {
        text += fmt::format("{}{} {} in {} on node {}",
                            text.empty() ? (verdict.kind == VerdictKind::Unknown ? "; possible: " : "; also possible: ") : ", ",
                            model_.unit, *place.task, place.process, *place.node);
    }
    return text;
}

std::string ProgramText::answer(const tmon_models::ProgramAnswer& answer) const {
    if (answer.empty()) return fmt::format("every {} was completed", model_.unit);
    Verdict verdict;
    for (const tmon_models::ProgramStop& stop : answer) {
        verdict.nodes.push_back(stop.node);
        verdict.processes.push_back(stop.process);
    }
    return fmt::format("{} {} stopped {}", model_.unit, answer.front().unit, where(verdict));
}

void ProgramText::say(Verdict& verdict) const {
    const std::string depends = fmt::format("{}", fmt::join(verdict.depends_on, "; "));
    const std::string of_all =
        verdict.histories
            ? fmt::format("; each of the {} histories that agree with the records gives this answer", *verdict.histories)
            : "";
    const std::string blame =
        verdict.silent.empty() ? "the function or a link failed" : "the function, the node or a link failed";
    switch (verdict.kind) {
        case VerdictKind::None:
            verdict.sentence =
                verdict.reported
                    ? fmt::format("No fault: the program printed its final report; {}.", seen(verdict))
                    : fmt::format("No fault: each node completed every {}, {} in all{}.", model_.unit, units_, of_all);
            return;
        case VerdictKind::Certain:
            verdict.sentence =
                fmt::format("Certain: {} {} stopped {}; no lost record could change this, and no record tells whether {}{}.",
                            model_.unit, *verdict.task, where(verdict), blame, of_all);
            return;
        case VerdictKind::Likely:
            verdict.sentence = fmt::format("Likely: {} {} stopped {}; not certain: {}{}; {}.", model_.unit, *verdict.task,
                                           where(verdict), depends, also(verdict), seen(verdict));
            return;
        case VerdictKind::Unknown:
            break;
    }
    if (verdict.farm_never_began) {
        verdict.sentence = "Unknown: the program did not begin: booting or loading was given up before any message was sent.";
        return;
    }
    verdict.sentence = fmt::format("Unknown: where the program stopped first cannot be said: {}{}; {}.", depends, also(verdict),
                                   seen(verdict));
}

}  // namespace tmon_detrek
