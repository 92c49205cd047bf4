// `verdict` in mid-run and `run until verdict`: what the records that the host has say of the farm under way. No truth is read.
#include <cstdio>

#include <fmt/format.h>

#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "runs/live_verdict.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"

namespace cli {

using vocabulary::RequestError;

LiveVerdict& ShellMachine::live_verdict() const {
    if (without_farm()) throw RequestError("there is no farm, and so no task; give 'magicwire shell' a scenario with one");
    if (scenario_.mpi)
        throw RequestError("an MPI program has no tasks, and so no verdict on them; 'ranks' shows what its ranks do");
    if (!streaming_) throw RequestError("the scenario is not monitored, so there are no records; add a 'monitor:' to it");
    return *streaming_;
}

ShellAnswer ShellMachine::verdict_so_far() const {
    LiveVerdict& streaming = live_verdict();
    const std::string doubt = doubt_of_held();
    return {.text = held_text() + fmt::format("at {}, ", time_word(now())) + streaming.text(live(), doubt),
            .data = so_far_json(streaming.look(live(), doubt), scenario_.farm)};
}

ShellAnswer ShellMachine::run_until_verdict() {
    LiveVerdict& streaming = live_verdict();
    running();
    if (!doubt_of_held().empty())
        throw RequestError(
            "'back cut' holds processes, so a stop may be theirs, and no verdict can be said; first type 'release'");
    const std::string bound = fmt::format("A stop shows {}.\n", prediction::report_bound_text(streaming.bound(live())));
    std::fputs(bound.c_str(), stderr);  // beforehand: the answer comes when the machine has stopped
    return go({.there = [this] { return LiveVerdict::is_said(live_verdict().look(live())); },
               .answer = [this] { return verdict_so_far(); },
               .by_session = !by_hand_});
}

}  // namespace cli
