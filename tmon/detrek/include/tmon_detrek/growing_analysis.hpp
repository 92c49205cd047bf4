// GrowingAnalysis: deTrEK while the farm runs (thesis, Lin 1993, chapter 4, on the records so far). It takes what the host
// receives and keeps the tasks under way; a task that is complete is folded into counts (kept_tasks.hpp). So its memory grows
// with the tasks under way, not with the trace. Lost records keep their tasks: what they did is never known to be over. At the
// end it says what analyse() says of the stored trace, byte for byte.
//
// The records of a folded task are gone. When records contradict each other, or come a second time, the cause may be among
// them. Then the analysis needs_all() records, and its callers hand over the stored trace. report() asks for it in two more
// cases. An answer that is not certain has lost records to compare (exhaustion). Or the stop is on node 0.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tmon_detrek/detrek.hpp>
#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/trace_feed.hpp>

namespace tmon_detrek {

// The host's clock, and how far the records may be behind it.
struct Moment {
    std::uint64_t now_us = 0;
    // By a node's clock: all records that it made so long ago, or before, have come. The unload sequence and the flight say it.
    std::function<std::uint64_t(std::uint64_t clock_us)> behind_us;
};

// A farm under way, as the records tell of it.
struct SoFar {
    struct Part {
        std::uint32_t task = 0;
        SubTaskId subtask = 0;
        bool passed_on = false;  // or parts of it
    };
    struct Worker {
        std::uint16_t node = 0;
        std::uint64_t records = 0;
        std::uint64_t last_us = 0;  // time of its last record, by its own clock
        std::uint64_t got = 0;      // parts that came, by its own records
        std::uint64_t gave = 0;     // results that left, likewise
        std::vector<Part> holds;    // what it had and did not give back, likewise
        bool owes = false;          // a record that its neighbour's records ask for is overdue
        bool ended = false;         // it gave its end mark
    };
    // By the records of node 0. Bundles count once.
    std::uint64_t sent = 0, back = 0;
    std::vector<std::uint32_t> awaited;  // tasks sent and not back, ascending
    std::vector<Worker> workers;         // members, without node 0
    std::uint64_t records = 0;           // of all nodes
    std::vector<FaultRow> late;          // stops that last longer than any stay of their kind, with the way of the records
    // None: nothing is late. Likely: the first of the late ones. Never certain: a slow function looks the same.
    Verdict verdict;
};

class GrowingAnalysis final : public tmon_streams::TraceFeed {
public:
    struct State;  // private to the component

    explicit GrowingAnalysis(const farm_spec::FarmSpec& spec);
    ~GrowingAnalysis() override;
    GrowingAnalysis(const GrowingAnalysis&) = delete;
    GrowingAnalysis& operator=(const GrowingAnalysis&) = delete;

    // TraceFeed. Cost: about 400 ns a record.
    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t came_us) override;
    void lost(const LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;
    // records() in two steps, for a feed that changes the order. A block that comes, none of whose numbers came before; and any
    // part of it, which may be given later.
    void came(std::uint16_t node, std::span<const Event> block, std::uint64_t came_us);
    void take(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events);

    // Gives every record of the session. Called only when all are needed.
    using All = std::function<tmon_streams::Trace()>;
    // The report of report_detrek(). facts: the trace's own facts, as its end and the dropped messages; its records are not
    // read.
    DetrekResult report(const tmon_streams::Trace& facts, const All& all) const;
    // Cost: the records kept.
    SoFar so_far(const Moment& moment, const All& all) const;

    // The clock that is furthest behind, as far as records tell; empty before the first record.
    std::optional<std::uint64_t> clock_us(std::uint64_t now_us) const;
    // The longest time that a record took, beyond that of the fastest record of its node.
    std::uint64_t longest_way_us() const;
    bool needs_all() const;
    std::uint64_t kept_records() const;
    std::uint64_t kept_tasks() const;
    const farm_spec::FarmSpec& spec() const;

private:
    std::unique_ptr<State> state_;
};

// "master  sent 53 of 100 tasks, 49 came back; waits for 49, 50, 51, 52", a line for each worker, and the verdict.
std::string so_far_text(const SoFar& so_far, const farm_spec::FarmSpec& spec);
// Schema magicwire.so_far/1 (docs/guide/streaming.md).
std::string so_far_json(const SoFar& so_far, const farm_spec::FarmSpec& spec);

}  // namespace tmon_detrek
