// Judge: makes one verdict. Private. The decisions are in verdict.cpp, in their order; the verdicts on node 0 in
// verdict_of_manager.cpp; those on tasks on workers in verdict_of_tasks.cpp. Verdicts from contradictory records and from
// known dropped messages are in verdict_of_records.cpp. verdict_counter.cpp adds a counter-history.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_detrek/verdict.hpp>
#include "first_contradiction.hpp"
#include "likely_places.hpp"
#include "settled_stops.hpp"
#include "silence.hpp"
#include "stop_survey.hpp"

namespace tmon_detrek {

class Judge {
public:
    // All must outlive it. filled: see Completion; may be empty.
    Judge(const tmon_streams::Trace& trace, const EventGraphs& graphs, const std::vector<FaultRow>& rows,
          const std::vector<std::uint32_t>& filled);
    Verdict decide();
    // For a farm under way (verdict_so_far.cpp). `rows` are the stops that last too long. A node without an end mark owes a
    // record.
    Verdict decide_so_far();

private:
    // Facts about nodes
    const tmon_streams::Stream& stream(std::uint16_t node) const { return trace_.streams[node]; }
    bool whole(std::uint16_t node) const { return stream(node).whole(); }
    bool alive(std::uint16_t node) const { return stream(node).state == tmon_streams::StreamState::Finished; }
    std::vector<std::uint16_t> open_nodes() const;  // members of the farm without an end mark; ascending
    bool any_open() const { return !open_nodes().empty(); }
    bool other_open() const;
    void note_silence();

    // Building the verdict
    Verdict done(VerdictKind kind, const std::string& remark);
    void note_silent_nodes();
    void doubt(std::string text) { verdict_.depends_on.push_back(std::move(text)); }
    void name(std::uint32_t task, SubTaskId subtask, std::uint16_t node, Process process);
    void name_row(const FaultRow& row);
    // Adds another possible place; at most three, and none that is named already.
    void also(std::optional<std::uint32_t> task, SubTaskId subtask, std::optional<std::uint16_t> node,
              const std::string& process);
    void also(const FaultRow& row);
    void also_at_the_manager(std::optional<std::uint32_t> task, Process process) {
        also(task, 0, std::uint16_t{0}, std::string(process_name(process)));
    }
    void also_of_a_bundle();
    void name_receiver();
    void note_counter_history();
    std::vector<Event> arrivals_before(const PossiblePlace& place) const;
    bool results_may_wait_for_the_receiver() const;
    std::optional<CounterHistory> passed_on_before_silence() const;
    std::optional<CounterHistory> counter_of_the_rules() const;
    std::vector<CounterHistory> counters_without_a_record() const;
    std::vector<CounterHistory> counters_of_a_waiting_manager() const;
    std::vector<CounterHistory> counters_of_unknown() const;
    bool sends_as_it_likes() const;
    Process computing_process(std::uint16_t worker) const;  // that computes what it got, or may split it
    bool has_record(std::uint16_t worker, std::uint32_t task, SubTaskId subtask, std::uint8_t bits) const;

    // Doubts
    bool never_began();
    bool manager_never_recorded();
    void note_general_doubts();
    bool contradicted() const { return graphs_.findings() > 0 || trace_.suspect_records > 0; }
    std::string contradictions_text() const;
    Verdict none_unless_contradicted(const std::string& remark);
    std::string open_nodes_text() const;
    bool was_survived() const;
    void note_survival();

    Verdict nothing_late_verdict();

    // Node 0
    bool reported_all() const { return trace_.reported_results && *trace_.reported_results >= spec_.tasks; }
    // True when the program ended and its own report says that results are missing: only result_receiver() can cause that.
    bool short_report() const {
        return trace_.session == tmon_streams::SessionEnd::ProgramEnded && trace_.reported_results &&
               *trace_.reported_results < spec_.tasks;
    }
    Verdict all_reported_verdict();
    Verdict all_finished_verdict();
    Verdict did_not_end_verdict();
    Verdict alone_verdict();
    bool receiver_ended() const;
    Verdict receiver_verdict();
    bool waits_at_the_manager() const;
    Verdict nothing_seen_of_task();
    Verdict silent_children_verdict();
    Verdict node_0_open();
    Verdict node_0_fell_silent();
    std::uint32_t next_to_send() const;

    // Tasks on workers
    Verdict settled_verdict();
    Verdict unsettled_verdict();
    bool note_losses_that_hide();
    std::uint32_t first_seq_of_lowest(std::uint16_t node) const;
    std::vector<FaultRow> rows_of_first() const;
    std::string about_lowest() const;
    std::string why_not_settled() const;
    void note_alternatives();
    void note_silent_children(std::uint16_t node);

    // Records and messages that went wrong
    void note_contradiction();
    bool was_damaged() const;
    Verdict contradiction_verdict();
    std::optional<Verdict> dropped_verdict();

    const tmon_streams::Trace& trace_;
    const EventGraphs& graphs_;
    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree& tree_;
    const std::vector<FaultRow>& rows_;
    StopSurvey survey_;
    SettledStops settled_;
    Silence silence_;  // used when nothing is certain
    LikelyPlaces likely_;
    std::uint32_t lowest_ = 0;
    std::vector<FaultRow> of_lowest_;
    std::optional<FirstContradiction> contradiction_;
    Verdict verdict_;
};

inline constexpr const char* bundles_text = "no record tells whether every task of a bundle came back with it";
inline constexpr const char* manager_functions = "data_generator() or result_receiver()";

}  // namespace tmon_detrek
