#include "program_text.hpp"

#include <fmt/format.h>

#include "verdict_text.hpp"

namespace tmon_detrek {

// "in step_fn() on node 3, which fell silent"
std::string ProgramText::where(const Verdict& verdict) const {
    std::string text = fmt::format("in {} on {}", verdict.process, nodes_text(verdict.nodes));
    if (verdict.silent == verdict.nodes) return text + ", which fell silent";
    return verdict.silent.empty() ? text : text + "; " + nodes_text(verdict.silent) + " fell silent";
}

std::string ProgramText::seen(const Verdict& verdict) const {
    if (verdict.finished_below == 0) return fmt::format("no {} was seen to complete on every node", model_.unit);
    return fmt::format("up to {} {} each node completed every one", model_.unit, verdict.finished_below - 1);
}

std::string ProgramText::also(const Verdict& verdict) const {
    std::string text;
    for (const PossiblePlace& place : verdict.also_possible) {
        text += fmt::format("{}{} {} in {} on node {}", text.empty() ? "; also possible: " : ", ", model_.unit, *place.task,
                            place.process, *place.node);
    }
    return text;
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
            verdict.sentence = fmt::format("No fault: each node completed all {} {}s{}.", units_, model_.unit, of_all);
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
