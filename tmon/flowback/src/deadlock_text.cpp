// Waits of ranks as text and as JSON.
#include <fmt/format.h>

#include <tmon_flowback/deadlock.hpp>

namespace tmon_flowback {

namespace {

std::string rank_text(const RecordedRun& run, std::uint32_t process) {
    return fmt::format("rank {}", run.process(process).rank().value_or(0));
}

std::string line_text(RecordedRun& run, const std::optional<EventId>& its) {
    if (!its) return "code that is not prepared";
    const EventId& event = *its;
    const Site& site = run.site(event);
    return fmt::format("{}  {}   [{}]", run.program().place(site), run.program().text_of(site.file, site.line),
                       run.text_of(event));
}

std::string want_text(const Want& its) {
    const std::string what = its.of_library ? "a message of the library" : "a message";
    const std::string tag = its.of_library ? "" : its.tag ? fmt::format(", tag {}", *its.tag) : ", any tag";
    if (its.sends) return fmt::format("until rank {} takes {}{}", its.peer, its.of_library ? what : "its message", tag);
    return fmt::format("for {} of {}{}", what, its.any ? "any rank" : fmt::format("rank {}", its.peer), tag);
}

std::string decided_text(RecordedRun& run, const MissingSend& missing) {
    const Event& event = run.event(*missing.decision);
    const Site& site = run.site(*missing.decision);
    const Site& send = run.program().site(missing.site);
    const std::string how = site.two_ways ? event.value != 0 ? "was true" : "was false"
                                          : fmt::format("was {}", static_cast<std::int64_t>(event.value));
    return fmt::format("    {}() at {} may be the missing send; it did not run{}, since this {}:\n      {}\n",
                       run.shown(send.callee), run.program().place(send), missing.executed ? " again" : "", how,
                       line_text(run, missing.decision));
}

std::string waiting_text(RecordedRun& run, const WaitingRank& its) {
    std::string text = fmt::format("{} waits{}\n  {}\n", run.with_rank(its.process),
                                   its.wants.empty() ? ", and the logs do not tell for what"
                                   : its.either      ? " for one of these"
                                                     : "",
                                   line_text(run, its.call));
    for (const Want& want : its.wants) {
        text +=
            fmt::format("  {}{}\n", want_text(want), want.begun == its.call ? "" : ", begun at " + line_text(run, want.begun));
        for (const UntakenMessage& each : want.untaken)
            text += each.fits
                        ? fmt::format("    rank {} has sent it, and it has not come:\n      {}\n", want.peer,
                                      line_text(run, each.call))
                        : fmt::format("    rank {} has sent another one, with tag {}{}:\n      {}\n", want.peer, each.tag,
                                      each.same_communicator ? "" : " in another communicator", line_text(run, each.call));
        if (want.met)
            text += fmt::format("    rank {} has {}\n", want.peer, want.sends ? "a receive for it" : "an operation under way");
        if (want.peer_ended) text += fmt::format("    rank {} has ended\n", want.peer);
        for (const MissingSend& each : want.missing) text += decided_text(run, each);
    }
    return text;
}

nlohmann::ordered_json event_json(RecordedRun& run, const std::optional<EventId>& its) {
    if (!its) return {};
    const EventId& event = *its;
    const Site& site = run.site(event);
    return {{"place", run.program().place(site)},
            {"text", run.program().text_of(site.file, site.line)},
            {"event", run.text_of(event)}};
}

nlohmann::ordered_json want_json(RecordedRun& run, const Want& its) {
    nlohmann::ordered_json json = {
        {"waits", its.sends ? "to send" : "to receive"},
        {"peer", its.any ? nlohmann::ordered_json() : nlohmann::ordered_json(its.peer)},
        {"tag", its.tag && !its.of_library ? nlohmann::ordered_json(*its.tag) : nlohmann::ordered_json()},
        {"of_library", its.of_library},
        {"begun", event_json(run, its.begun)},
        {"peer_ended", its.peer_ended},
        {"met", its.met},
        {"untaken", nlohmann::ordered_json::array()},
        {"missing", nlohmann::ordered_json::array()}};
    for (const UntakenMessage& each : its.untaken)
        json["untaken"].push_back({{"call", event_json(run, each.call)},
                                   {"tag", each.tag},
                                   {"fits", each.fits},
                                   {"same_communicator", each.same_communicator}});
    for (const MissingSend& each : its.missing) {
        const Event& event = run.event(*each.decision);
        json["missing"].push_back({{"send", run.program().place(run.program().site(each.site))},
                                   {"executed", each.executed},
                                   {"decision", event_json(run, each.decision)},
                                   {"decided", event.value}});
    }
    return json;
}

nlohmann::ordered_json waiting_json(RecordedRun& run, const WaitingRank& its) {
    nlohmann::ordered_json json = {{"process", run.process(its.process).name()},
                                   {"rank", run.process(its.process).rank().value_or(0)},
                                   {"function", run.shown(run.site(its.call).callee)},
                                   {"call", event_json(run, its.call)},
                                   {"either", its.either},
                                   {"wants", nlohmann::ordered_json::array()}};
    for (const Want& each : its.wants) json["wants"].push_back(want_json(run, each));
    return json;
}

}  // namespace

std::string text_of(RecordedRun& run, const Deadlock& deadlock) {
    std::string text;
    for (const WaitingRank& each : deadlock.waiting) text += waiting_text(run, each);
    const bool certain = deadlock.doubts.empty();
    if (!deadlock.cycle.empty()) {
        text += certain ? "Deadlock, certain: " : "Deadlock, likely: ";
        for (const std::uint32_t each : deadlock.cycle) text += rank_text(run, deadlock.waiting[each].process) + " -> ";
        text += rank_text(run, deadlock.waiting[deadlock.cycle.front()].process) + "\n";
    }
    for (const std::uint32_t each : deadlock.orphans)
        text += fmt::format("{} waits for ever, {}: the rank that it waits for has ended\n",
                            rank_text(run, deadlock.waiting[each].process), certain ? "certain" : "likely");
    if (!deadlock.found())
        text += deadlock.waiting.empty()
                    ? "No rank waits in a call of MPI.\n"
                    : "No rank is seen to wait for ever: a message may be under way, or its sender computes.\n";
    for (const std::string& each : deadlock.doubts) text += "Not certain: " + each + "\n";
    for (const std::string& each : deadlock.damaged) text += "Not whole: " + each + "\n";
    for (const std::string& each : deadlock.differences) text += "The log and its emulation differ: " + each + "\n";
    return text;
}

nlohmann::ordered_json json_of(RecordedRun& run, const Deadlock& deadlock) {
    nlohmann::ordered_json json = {{"schema", "magicwire.flowback_deadlock/1"},
                                   {"certainty", deadlock.doubts.empty() ? "certain" : "likely"},
                                   {"doubts", deadlock.doubts},
                                   {"emulated_statements", deadlock.emulated},
                                   {"damaged", deadlock.damaged},
                                   {"differences", deadlock.differences},
                                   {"waiting", nlohmann::ordered_json::array()},
                                   {"cycle", nlohmann::ordered_json::array()},
                                   {"for_ever", nlohmann::ordered_json::array()}};
    for (const WaitingRank& each : deadlock.waiting) json["waiting"].push_back(waiting_json(run, each));
    for (const std::uint32_t each : deadlock.cycle)
        json["cycle"].push_back(run.process(deadlock.waiting[each].process).rank().value_or(0));
    for (const std::uint32_t each : deadlock.orphans)
        json["for_ever"].push_back(run.process(deadlock.waiting[each].process).rank().value_or(0));
    return json;
}

}  // namespace tmon_flowback
