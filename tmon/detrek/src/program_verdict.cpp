#include "program_verdict.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <tmon_models/model_check.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/source_position.hpp>
#include "program_counter.hpp"
#include "program_text.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

namespace {

using tmon_models::ProgramAnswer;
using tmon_models::ProgramStop;
using tmon_models::StopHow;
using tmon_streams::SessionEnd;

FaultRow row_of(const ProgramStop& stop) {
    const StopKind kind = stop.how == StopHow::InProcess ? StopKind::Held
                          : stop.how == StopHow::NotSent ? StopKind::BranchNotSent
                                                         : StopKind::NotReceived;
    return {.task = stop.unit, .node = stop.node, .kind = kind, .worker = stop.node, .label = stop.process};
}

class ProgramJudge {
public:
    ProgramJudge(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const tmon_models::FaultModel& model)
        : trace_(trace),
          model_(model),
          program_(model, spec),
          reading_(tmon_models::read_stops(program_, trace)),
          words_(model, spec.tasks) {}

    ProgramFindings find() {
        verdict_.model = model_.name;
        verdict_.unit = model_.unit;
        verdict_.assumptions = model_.assumes;
        verdict_.finished_below = reading_.complete_below;
        if (reading_.misfit) return misfit();
        ProgramFindings findings;
        for (const ProgramStop& stop : reading_.recorded) findings.rows.push_back(row_of(stop));
        decide();
        findings.verdict = std::move(verdict_);
        return findings;
    }

private:
    bool is_open(std::uint16_t node) const { return trace_.streams[node].state == tmon_streams::StreamState::Open; }
    void doubt(std::string text) { verdict_.depends_on.push_back(std::move(text)); }

    ProgramFindings misfit() {
        const trace_record::Event& event = reading_.misfit->event;
        doubt(fmt::format("record n{}:{} is {}", event.node, event.seq, reading_.misfit->text));
        verdict_.finished_below = 0;
        verdict_.kind = VerdictKind::Unknown;
        words_.say(verdict_);
        ProgramFindings findings;
        const auto move = program_.move_of(event);
        findings.unanticipated.push_back({.task = event.task,
                                          .subtask = event.subtask,
                                          .node = event.node,
                                          .kind = StopKind::Unanticipated,
                                          .worker = event.node,
                                          .label = model_.messages[move ? move->message : 0].label});
        findings.verdict = std::move(verdict_);
        return findings;
    }

    // Conditions that make any certainty impossible.
    void note_doubts() {
        if (trace_.session == SessionEnd::NeverBegan) doubt("the session is said to have ended before the program began");
        if (trace_.session == SessionEnd::Cut || trace_.session == SessionEnd::GoesOn)
            doubt("monitoring ended while nodes were still at work, so what looks stopped may be slow");
        if (!trace_.losses_known) doubt("the trace does not say whether it is whole");
        if (trace_.suspect_records > 0)
            doubt(fmt::format("{} records came twice with different content", trace_.suspect_records));
        if (trace_.dropped_messages > 0) doubt(fmt::format("{} messages were dropped or damaged", trace_.dropped_messages));
        if (trace_.directions_guessed) doubt("a .tvm does not say which way a message went");
    }

    bool has_all_done() const {
        return std::find(reading_.answers.begin(), reading_.answers.end(), ProgramAnswer()) != reading_.answers.end();
    }

    void decide() {
        note_doubts();
        if (trace_.session == SessionEnd::NeverBegan && trace_.size() == 0) {
            verdict_.farm_never_began = true;
            verdict_.counter_histories = before_it_began("program");
            return finish(VerdictKind::Unknown, {});
        }
        if (trace_.session == SessionEnd::ProgramEnded) return program_ended();
        if (trace_.session == SessionEnd::Cut && !anybody_waits()) return finish(VerdictKind::Unknown, {});
        if (reading_.gave_up) doubt("more histories agree with the records than can be compared");
        if (!reading_.gave_up && reading_.answers.empty()) doubt("no history agrees with the records of all nodes");
        if (!reading_.gave_up && reading_.answers.size() == 1) return one_answer();
        is_doubted_ = !verdict_.depends_on.empty();
        note_missing();
        if (verdict_.depends_on.empty()) doubt("the records fit more than one history");
        if (has_all_done()) doubt(fmt::format("every {} may have been completed", model_.unit));
        if (reading_.answers.empty() || (reading_.gave_up && reading_.lossy_nodes_differ)) {
            finish(VerdictKind::Unknown, {});
            return note_counter_histories();
        }
        several_answers();
    }

    // A node that lives waits for another. Where a session was cut and nobody waits, the nodes are only at work.
    bool anybody_waits() const {
        const auto& members = program_.tree().from_the_top();
        const auto stopped = [&](std::uint16_t node) {
            return std::any_of(reading_.recorded.begin(), reading_.recorded.end(),
                               [&](const ProgramStop& stop) { return stop.node == node; });
        };
        return std::any_of(members.begin(), members.end(),
                           [&](std::uint16_t node) { return !is_open(node) && !stopped(node); });
    }

    // It printed its final report when every node was done, whatever records are missing.
    void program_ended() {
        if (reading_.gave_up || has_all_done()) {
            verdict_.reported = reading_.gave_up || reading_.answers.size() > 1;
            return finish(VerdictKind::None, {});
        }
        doubt("the program printed its final report, and the records say that it was not done");
        verdict_.finished_below = 0;
        finish(VerdictKind::Unknown, {});
    }

    void one_answer() {
        if (reading_.histories > 1)
            verdict_.histories = static_cast<std::uint32_t>(std::min<std::uint64_t>(reading_.histories, UINT32_MAX));
        const ProgramAnswer& answer = reading_.answers.front();
        if (!answer.empty()) {
            finish(verdict_.depends_on.empty() ? VerdictKind::Certain : VerdictKind::Likely, answer);
            return note_cut();
        }
        const bool is_known = trace_.session != SessionEnd::Unknown;
        if (is_known)
            doubt(fmt::format("every {} was completed, and the program did not end; no record tells what it did then",
                              model_.unit));
        finish(is_known ? VerdictKind::Unknown : VerdictKind::None, {});
    }

    // No record tells a slow function from one that hangs.
    void note_cut() {
        if (trace_.session != SessionEnd::Cut || verdict_.kind != VerdictKind::Likely) return;
        CounterHistory counter;
        counter.text = "if a node was still at work, then nothing failed";
        verdict_.counter_histories.push_back(std::move(counter));
    }

    void note_missing() {
        std::vector<std::uint16_t> open, lossy;
        for (const std::uint16_t node : program_.tree().from_the_top()) {
            if (is_open(node)) open.push_back(node);
            if (!is_open(node) && !trace_.streams[node].losses.empty()) lossy.push_back(node);
        }
        std::sort(open.begin(), open.end());
        std::sort(lossy.begin(), lossy.end());
        if (!open.empty()) doubt("the last records of " + some_nodes(open) + " may be missing");
        if (!lossy.empty() && reading_.lossy_nodes_differ) doubt("records of " + some_nodes(lossy) + " were lost");
    }

    // A silent node right below a node with an end mark explains all silence below it.
    bool is_top_or_alive(std::uint16_t node) const {
        if (!is_open(node)) return true;
        const auto parent = program_.tree().parent(node);
        return !parent || !is_open(*parent);
    }

    // Indexes, the likeliest first. Most time passes in processes, so a silent node more likely stopped there than between two
    // messages.
    std::vector<std::size_t> by_likelihood(std::size_t count,
                                           const std::function<const ProgramAnswer&(std::size_t)>& get) const {
        const auto rank = [&](std::size_t which) {
            const ProgramAnswer& answer = get(which);
            const bool tops =
                std::all_of(answer.begin(), answer.end(), [&](const ProgramStop& stop) { return is_top_or_alive(stop.node); });
            const bool in_process = std::all_of(answer.begin(), answer.end(),
                                                [](const ProgramStop& stop) { return stop.how == StopHow::InProcess; });
            return std::tuple(answer.empty(), !tops, answer.size(), !in_process, answer.empty() ? 0 : answer.front().unit);
        };
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&rank](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
        return order;
    }

    bool all_name_one_place() const {
        std::set<std::pair<std::uint32_t, std::uint16_t>> places;
        for (const ProgramAnswer& answer : reading_.answers) {
            if (answer.size() != 1) return false;
            places.emplace(answer.front().unit, answer.front().node);
        }
        return places.size() == 1;
    }

    void several_answers() {
        const auto answer_of = [this](std::size_t which) -> const ProgramAnswer& { return reading_.answers[which]; };
        const ProgramAnswer* const best = &answer_of(by_likelihood(reading_.answers.size(), answer_of).front());
        const bool is_likely = !has_all_done() && ((!reading_.gave_up && all_name_one_place()) || !reading_.lossy_nodes_differ);
        for (const ProgramAnswer& answer : reading_.answers) {
            if (is_likely && &answer == best) continue;
            for (const ProgramStop& stop : answer)
                if (!is_likely || std::find(best->begin(), best->end(), stop) == best->end()) also(stop);
        }
        finish(is_likely ? VerdictKind::Likely : VerdictKind::Unknown, is_likely ? *best : ProgramAnswer());
        note_counter_histories();
        if (!is_doubted_) verdict_.deciding = reading_.deciding;
    }

    void note_counter_histories() {
        const auto answer_of = [this](std::size_t which) -> const ProgramAnswer& { return reading_.examples[which].answer; };
        verdict_.counter_histories = ProgramCounters(trace_, program_, reading_, words_)
                                         .of(verdict_, by_likelihood(reading_.examples.size(), answer_of));
    }

    void also(const ProgramStop& stop) {
        constexpr std::size_t most = 3;
        const PossiblePlace place{stop.unit, 0, stop.node, stop.process};
        auto& known = verdict_.also_possible;
        if (known.size() < most && std::find(known.begin(), known.end(), place) == known.end()) known.push_back(place);
    }

    void finish(VerdictKind kind, const ProgramAnswer& answer) {
        verdict_.kind = kind;
        std::vector<std::string> processes;
        for (const ProgramStop& stop : answer) {
            verdict_.task = stop.unit;
            verdict_.subtasks.push_back(0);
            verdict_.nodes.push_back(stop.node);
            // Its monitor may never have begun. Then it waits to record a message that it has sent.
            const tmon_streams::Stream& stream = trace_.streams[stop.node];
            const bool may_wait =
                stop.how == StopHow::InProcess && !is_open(stop.node) && stream.size() == 0 && stream.losses.empty();
            verdict_.processes.push_back(stop.process + (may_wait ? " or " + label_of_first(stop.node) : ""));
            name(processes, stop.process);
            if (may_wait) name(processes, label_of_first(stop.node));
            if (is_open(stop.node)) verdict_.silent.push_back(stop.node);
        }
        verdict_.process = fmt::format("{}", fmt::join(processes, " or "));
        words_.say(verdict_);
    }

    static void name(std::vector<std::string>& processes, const std::string& process) {
        if (std::find(processes.begin(), processes.end(), process) == processes.end()) processes.push_back(process);
    }
    const std::string& label_of_first(std::uint16_t node) const {
        std::uint64_t block = 0;
        while (program_.block(node, block).moves.empty() && block + 1 < program_.blocks(node)) ++block;
        return model_.messages[program_.block(node, block).step->message].label;
    }

    const tmon_streams::Trace& trace_;
    const tmon_models::FaultModel& model_;
    tmon_models::Program program_;
    tmon_models::ProgramReading reading_;
    ProgramText words_;
    Verdict verdict_;
    bool is_doubted_ = false;  // for another reason than missing records
};

}  // namespace

ProgramFindings judge_program(const tmon_streams::Trace& tasks, const farm_spec::FarmSpec& spec,
                              const tmon_models::FaultModel& model) {
    EXPECTS(model.is_fixed() && tasks.streams.size() == spec.nodes, "judge_program.model_and_streams");
    if (const auto stuck = tmon_models::stuck_at(model, spec))
        throw vocabulary::RequestError("fault model '" + model.name + "' cannot run to its end on this tree: " + *stuck +
                                       "; let each receive have its send, and break circles of waits");
    return ProgramJudge(tasks, spec, model).find();
}

}  // namespace tmon_detrek
