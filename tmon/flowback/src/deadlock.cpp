#include <tmon_flowback/deadlock.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include <tmon_flowback/question.hpp>

#include "acts.hpp"

namespace tmon_flowback {

using flowback_log::ActKind;

namespace {

constexpr std::uint32_t contexts = 4, collective_context = 1,
                        private_context = 3;  // of a communicator; the first is the program's own (lam.h)

bool is_among(const std::string& callee, std::initializer_list<const char*> names) {
    const std::string plain = callee.starts_with("PMPI_") ? callee.substr(1) : callee;
    return std::any_of(names.begin(), names.end(), [&](const char* each) { return plain == each; });
}

bool is_send(const std::string& callee) {
    return is_among(callee, {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend", "MPI_Isend", "MPI_Issend", "MPI_Irsend",
                             "MPI_Ibsend", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Start", "MPI_Startall"});
}

class Finder {
public:
    explicit Finder(RecordedRun& run) : run_(run) {}

    Deadlock find() {
        const std::uint64_t before = run_.emulated_statements();
        for (std::uint32_t process = 0; process < run_.processes().size(); ++process) look_at(process);
        std::sort(found_.waiting.begin(), found_.waiting.end(), [&](const WaitingRank& one, const WaitingRank& other) {
            return run_.process(one.process).rank() < run_.process(other.process).rank();
        });
        for (WaitingRank& each : found_.waiting) {
            for (Want& want : each.wants) look_for_messages(each, want);
        }
        if (aborted_) return finished(before);
        find_cycle();
        for (std::uint32_t i = 0; i < found_.waiting.size(); ++i) {
            const WaitingRank& its = found_.waiting[i];
            const bool orphan = !its.either && std::any_of(its.wants.begin(), its.wants.end(),
                                                           [](const Want& want) { return want.peer_ended && is_stuck(want); });
            if (orphan) found_.orphans.push_back(i);
        }
        for (WaitingRank& each : found_.waiting) {
            for (Want& want : each.wants) look_for_sends(each, want);
        }
        return finished(before);
    }

private:
    Deadlock finished(std::uint64_t before) {
        found_.emulated = run_.emulated_statements() - before;
        found_.damaged = run_.damage();
        found_.differences = run_.differences();
        return std::move(found_);
    }

    // The call in which the log of a rank ends.
    void look_at(std::uint32_t process) {
        const ProcessLog& log = run_.process(process);
        if (!log.rank()) return;
        const bool aborted = std::any_of(log.acts().begin(), log.acts().end(),
                                         [](const LoggedAct& act) { return act.kind == ActKind::Aborted; });
        if (aborted) {
            aborted_ = true;
            found_.doubts.push_back(
                fmt::format("{} ended the run, so the others did not wait for ever", run_.with_rank(process)));
            return;
        }
        if (!log.whole()) {
            found_.doubts.push_back(fmt::format("the log of {} is not whole", run_.with_rank(process)));
            return;
        }
        const auto call = last_call(process);
        if (!call) return;
        const Event& its = run_.event(*call);
        const std::string& callee = run_.program().site(its.site).callee;
        if (!callee.starts_with("MPI_") && !callee.starts_with("PMPI_")) return;
        WaitingRank waiting;
        waiting.process = process;
        waiting.call = *call;
        waiting.either = is_among(callee, {"MPI_Waitany", "MPI_Waitsome"});
        set_wants(waiting, callee, run_.emulation(process, call->interval).call(its));
        if (waiting.wants.empty()) {
            if (!is_among(callee, {"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"})) return;
            found_.doubts.push_back(fmt::format("what {} waits for is not known", run_.with_rank(process)));
        }
        found_.waiting.push_back(std::move(waiting));
    }

    // The last thing that is known of a rank: the call in which its log ends. None: it is in no call.
    std::optional<EventId> last_call(std::uint32_t process) {
        const ProcessLog& log = run_.process(process);
        std::uint32_t last = nothing;
        for (std::uint32_t i = 0; i < log.intervals().size(); ++i) {
            if (log.intervals()[i].how == Interval::End::Open) last = i;
        }
        if (last == nothing) return std::nullopt;
        const auto& events = run_.emulation(process, last).events();
        if (events.empty()) return std::nullopt;
        const Event& its = events.back();
        if (run_.program().kind(its.site) != SiteKind::Call || its.extra == nothing) return std::nullopt;
        return EventId{process, last, static_cast<std::uint32_t>(events.size() - 1)};
    }

    // main() has returned, or the program ended the process. A main() that is not prepared leaves no log of its end.
    bool has_ended(std::uint32_t process) {
        const ProcessLog& log = run_.process(process);
        if (!run_.unprepared_entry(process, 0).empty()) return false;
        const bool running = std::any_of(log.intervals().begin(), log.intervals().end(),
                                         [](const Interval& each) { return each.how == Interval::End::Open; });
        const auto call = last_call(process);
        return !running || (call && is_among(run_.site(*call).callee, {"exit", "_exit", "_Exit", "kexit", "_kexit"}));
    }

    // Receives that no message has met, in their order.
    std::vector<std::uint32_t> open_receives(const ProcessLog& log) const {
        std::vector<std::uint32_t> open;
        for (std::uint32_t i = 0; i < log.acts().size(); ++i) {
            const LoggedAct& act = log.acts()[i];
            if (act.kind == ActKind::Waits && act.flow == 0) open.push_back(i);
            if (act.kind != ActKind::Received && act.kind != ActKind::Saw) continue;
            const auto met = std::find_if(open.begin(), open.end(), [&](std::uint32_t each) {
                const LoggedAct& wanted = log.acts()[each];
                if (act.kind == ActKind::Saw) return act.operation != 0 && wanted.operation == act.operation;  // a probe
                return wanted.operation == act.operation && wanted.context == act.context &&
                       (wanted.peer == act.peer || wanted.peer == flowback_log::any_rank) &&
                       (wanted.tag == act.tag || wanted.tag == flowback_log::any_tag);
            });
            if (met != open.end()) open.erase(met);
        }
        return open;
    }

    void set_wants(WaitingRank& waiting, const std::string& callee, const CallDetails& details) {
        const ProcessLog& log = run_.process(waiting.process);
        const auto is_own = [&](std::uint32_t act) {
            return std::any_of(details.steps.begin(), details.steps.end(),
                               [&](const CallStep& step) { return step.is_act && step.number == act; });
        };
        const bool waits_for_requests = waiting.either || is_among(callee, {"MPI_Wait", "MPI_Waitall"});
        const auto handles = waits_for_requests ? requests_of(waiting, callee, details) : std::nullopt;
        if (waits_for_requests && !handles) return;
        // A receive by the act that began it, a send by what it told itself.
        const auto belongs = [&](std::uint32_t number) {
            if (!waits_for_requests) return is_own(number);
            const LoggedAct& act = log.acts()[number];
            const std::uint32_t begun = log.begin_of(act);
            const std::uint32_t handle = act.flow != 0 ? act.operation : begun == nothing ? 0 : log.acts()[begun].flow;
            return handle != 0 && std::find(handles->begin(), handles->end(), handle) != handles->end();
        };
        for (const std::uint32_t act : open_receives(log)) {
            // Receipts of the library's own messages are not logged, so of these only the last one counts.
            const bool private_one = log.acts()[act].context % contexts == private_context;
            if (private_one && !waiting.wants.empty()) waiting.wants.pop_back();
            if (belongs(act)) add_want(waiting, act, false);
        }
        for (std::uint32_t i = 0; i < log.acts().size(); ++i) {
            const LoggedAct& act = log.acts()[i];
            if (act.kind != ActKind::Waits || act.flow == 0 || !belongs(i)) continue;
            const std::uint32_t peer = run_.process_of_rank(act.peer);
            const bool taken =
                peer != nothing && run_.process(peer).act_of(ActKind::Received, *log.rank(), act.flow) != nothing;
            if (!taken) add_want(waiting, i, true);
        }
    }

    void add_want(WaitingRank& waiting, std::uint32_t number, bool sends) {
        const LoggedAct& act = run_.process(waiting.process).acts()[number];
        Want want;
        want.sends = sends;
        want.any = act.peer == flowback_log::any_rank;
        want.peer = act.peer;
        if (act.tag != flowback_log::any_tag) want.tag = act.tag;
        want.context = act.context;
        want.of_library = act.context % contexts >= collective_context;
        const auto begun = sends ? run_.call_of_act(waiting.process, number) : run_.begin_of_act(waiting.process, number);
        want.begun = begun.value_or(waiting.call);
        const std::uint32_t peer = want.any ? nothing : run_.process_of_rank(want.peer);
        if (!want.any && peer == nothing)
            found_.doubts.push_back(fmt::format("there is no log of rank {}", want.peer));
        else if (!want.any)
            want.peer_process = peer;
        waiting.wants.push_back(std::move(want));
    }

    // The handles of the requests that the call was given.
    std::optional<std::vector<std::uint32_t>> requests_of(const WaitingRank& waiting, const std::string& callee,
                                                          const CallDetails& details) {
        const bool several = !is_among(callee, {"MPI_Wait"});
        const std::size_t pointer = several ? 1 : 0;
        if (details.words.size() <= pointer) return std::nullopt;
        const std::uint64_t count = several ? details.words[0] & 0x7fffffffU : 1;
        std::vector<std::uint32_t> all;
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto bytes =
                bytes_before(run_, waiting.call, details.words[pointer] + i * sizeof(std::uint32_t), sizeof(std::uint32_t));
            if (!bytes) return std::nullopt;
            std::uint32_t handle = 0;
            std::memcpy(&handle, bytes->data(), sizeof handle);
            all.push_back(handle);
        }
        return all;
    }

    // Messages of the peer that the rank has not received; for a message to the peer, whether it has a receive for it.
    void look_for_messages(const WaitingRank& waiting, Want& want) {
        if (!want.peer_process) return;
        const ProcessLog& log = run_.process(waiting.process);
        const ProcessLog& peer = run_.process(*want.peer_process);
        want.peer_ended = has_ended(*want.peer_process);
        if (want.sends) {
            const auto open = open_receives(peer);
            want.met = std::any_of(open.begin(), open.end(), [&](std::uint32_t each) {
                const LoggedAct& act = peer.acts()[each];
                return (act.peer == *log.rank() || act.peer == flowback_log::any_rank) && act.context == want.context &&
                       (act.tag == want.tag || act.tag == flowback_log::any_tag);
            });
            return;
        }
        if (want.of_library) want.met = works_on(*want.peer_process);
        for (std::uint32_t i = 0; i < peer.acts().size(); ++i) {
            const LoggedAct& act = peer.acts()[i];
            if (act.kind != ActKind::Sent || act.peer != *log.rank() || act.flow == 0) continue;
            if (log.act_of(ActKind::Received, want.peer, act.flow) != nothing) continue;
            const auto call = run_.call_of_act(*want.peer_process, i);
            const bool same = act.context == want.context, fits = same && (!want.tag || act.tag == *want.tag);
            if ((act.context % contexts >= collective_context) != want.of_library || (want.of_library && !fits)) continue;
            want.untaken.push_back({call, act.tag, act.flow, fits, same});
        }
    }

    // A collective operation that the rank began in an earlier call may still send.
    bool works_on(std::uint32_t process) {
        const auto last = std::find_if(found_.waiting.begin(), found_.waiting.end(),
                                       [&](const WaitingRank& each) { return each.process == process; });
        for (const std::uint32_t act : open_receives(run_.process(process))) {
            const std::uint32_t context = run_.process(process).acts()[act].context % contexts;
            if (context < collective_context || context == private_context) continue;
            const auto begun = run_.begin_of_act(process, act);
            if (!begun || last == found_.waiting.end() || *begun != last->call) return true;
        }
        return false;
    }

    // Nothing under way could end the wait.
    static bool is_stuck(const Want& want) {
        return !want.any && !want.met && want.peer_process &&
               std::none_of(want.untaken.begin(), want.untaken.end(), [](const UntakenMessage& each) { return each.fits; });
    }

    // The ranks that a rank certainly waits for: all that one of its wants needs.
    void find_cycle() {
        std::map<std::uint32_t, std::uint32_t> by_process;
        for (std::uint32_t i = 0; i < found_.waiting.size(); ++i) by_process[found_.waiting[i].process] = i;
        std::vector<int> state(found_.waiting.size());  // 1: on the way; 2: leads nowhere
        std::vector<std::uint32_t> way;
        const std::function<bool(std::uint32_t)> follow = [&](std::uint32_t at) {
            state[at] = 1;
            way.push_back(at);
            for (const Want& want : found_.waiting[at].wants) {
                if (found_.waiting[at].either || !is_stuck(want)) continue;
                const auto next = by_process.find(*want.peer_process);
                if (next == by_process.end() || state[next->second] == 2) continue;
                if (state[next->second] == 1) {
                    found_.cycle.assign(std::find(way.begin(), way.end(), next->second), way.end());
                    return true;
                }
                if (follow(next->second)) return true;
            }
            state[at] = 2;
            way.pop_back();
            return false;
        };
        for (std::uint32_t i = 0; i < found_.waiting.size() && found_.cycle.empty(); ++i) {
            if (state[i] == 0) follow(i);
        }
        if (!found_.cycle.empty())
            std::rotate(found_.cycle.begin(), std::min_element(found_.cycle.begin(), found_.cycle.end()), found_.cycle.end());
    }

    // Calls of the peer that send, and that its last turn did not reach: the predicate that decided about each.
    void look_for_sends(const WaitingRank& waiting, Want& want) {
        if (want.sends || want.of_library || !is_stuck(want)) return;
        const auto &own = decisions_of(waiting.process), &its = decisions_of(*want.peer_process);
        for (const auto& [call, decision] : its) {
            const Decision& mine = own.at(call);
            if (mine.executed || (mine.latest && leads(call, *mine.latest))) continue;  // it is a send of the rank that waits
            if (decision.latest && !decision.behind && !leads(call, *decision.latest))
                want.missing.push_back({call, decision.latest, decision.executed});
        }
    }

    // The latest predicate about a call in a process.
    struct Decision {
        std::optional<EventId> latest;
        bool executed = false, behind = false;  // the call ran; it ran behind the predicate
    };
    // About all calls that send, in one pass over the process.
    const std::map<std::uint32_t, Decision>& decisions_of(std::uint32_t process) {
        const auto [at, is_new] = decisions_.try_emplace(process);
        auto& all = at->second;
        if (!is_new) return all;
        std::map<std::uint32_t, std::vector<std::uint32_t>> decided;  // calls, by the branches that decide about them
        for (std::uint32_t id = 0; id < run_.program().sites().size(); ++id) {
            const Site& site = run_.program().sites()[id];
            if (site.kind != SiteKind::Call || !is_send(site.callee)) continue;
            all[id] = {};
            const FunctionEntry& function = run_.program().function(site.function);
            const auto deciders = function.deciders.find(site.block);
            if (deciders == function.deciders.end()) continue;
            for (const std::uint32_t branch : deciders->second) decided[branch].push_back(id);
        }
        for (std::uint32_t i = 0; i < run_.process(process).intervals().size(); ++i) {
            const auto& events = run_.emulation(process, i).events();
            for (std::uint32_t event = 0; event < events.size(); ++event) {
                const auto call = all.find(events[event].site);
                if (call != all.end()) call->second.behind = call->second.executed = true;
                const auto branch = decided.find(events[event].site);
                if (branch == decided.end()) continue;
                for (const std::uint32_t id : branch->second) {
                    all[id].latest = EventId{process, i, event};
                    all[id].behind = false;
                }
            }
        }
        return all;
    }

    // The way that was taken at the predicate leads to the call, or may.
    bool leads(std::uint32_t call, const EventId& predicate) {
        const Site& site = run_.program().site(call);
        const FunctionEntry& function = run_.program().function(site.function);
        const Event& event = run_.event(predicate);
        const auto way = function.ways.find({site.block, event.site});
        const int taken = event.value != 0 ? 0 : 1;
        return !run_.site(predicate).two_ways || way == function.ways.end() || way->second < 0 || way->second == taken;
    }

    RecordedRun& run_;
    Deadlock found_;
    bool aborted_ = false;
    std::map<std::uint32_t, std::map<std::uint32_t, Decision>> decisions_;  // by process
};

}  // namespace

Deadlock find_deadlock(RecordedRun& run) {
    return Finder(run).find();
}

}  // namespace tmon_flowback
