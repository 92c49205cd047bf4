// CausalSorter: the on-the-fly topological sort of Kimelman and Zernik 1993, figures 1 and 2, iterative. It reports each record
// once all records that precede it are reported, in that very step. It deletes each record as soon as all that follow
// directly from it have come. Both moments are the earliest possible ones (section 2.4).
//
// A node of the graph keeps counts, not identifiers. Ends of communications that wait for the others are kept by key; a
// joint of many sources and many targets counts as no node.
//
// Records and streams may be missing. A record that waits for one that cannot come is released as soon as that is known. A
// later communication of the channel in that stream shows it, or the end of the stream. give_up() releases on the user's word.
// Such a record is reported with the reason (Assumed). A record that comes after its place was given away is reported as late.
//
// Time (section 2.6): the final time of a record is its raw time plus the drift of its stream. The drift grows where a cause
// would otherwise have the later final time. It depends on the causal past only, not on the order of arrival.
//
// Cost: constant a record and end, amortised, beside the edges of a collective. Memory: about 200 bytes a record in the
// window, 100 bytes an open communication, 100 bytes a channel that was used. There is no graph as long as nothing but
// messages with keys of their channels has come. Then a record in the window takes 32 bytes, and a message 64
// (docs/decisions/0066).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include <tmon_order/communication.hpp>

namespace tmon_order {

// Why a record was released although not all of its sources had been reported.
enum class Assumed : std::uint8_t {
    Nothing,
    Lost,         // a later one shows, or the end of the stream, that it is among its lost records, or was never recorded
    NeverBegan,   // a later one was seen, or the stream ended, and it lost nothing: the records contradict each other
    StreamEnded,  // the stream, which lost nothing before, ended early
    GivenUp,      // give_up()
    // break_deadlocks(): its source would have to follow from it. So it is lost, or a source of a task in the same circle is
    // recorded late.
    LostOrCrossed,
    Crossed,  // its source is recorded later than what follows from both: a cycle that histories have
    Cycle,    // records that precede each other: a message was changed on its way, or the records are wrong
};

enum class StreamEnding : std::uint8_t {
    Finished,  // all of its numbers are known
    Crashed,   // somebody knows that it makes no more records
    Open,      // no more will be read
};

struct SortedRecord {
    enum class Kind : std::uint8_t { Record, Lost, End };
    Kind kind = Kind::Record;
    RecordId id;                // Lost: the first lost number; End: one more than the last number
    std::uint64_t last = 0;     // Lost: the last lost number; else as id
    std::uint64_t payload = 0;  // as given to insert() or lost()
    std::int64_t raw_ns = 0;    // Record only
    std::int64_t final_ns = 0;  // Lost, End: not before any cause
    // The record that made the drift of this stream what it is; empty while the drift is 0.
    std::optional<RecordId> forced_by;
    // The source of its last communication; of several sources the one with the latest final time (correlation, section 2.6).
    std::optional<Cause> source;
    // Each of its sources, where there are several; see sources(). Valid until the next call of the sorter.
    std::span<const Cause> several;
    // Where `several` is the list of one collective: its number, from 1. Each of its targets has the same list. A target's own
    // source may be in it.
    std::uint64_t shared = 0;
    Assumed assumed = Assumed::Nothing;
    std::optional<RecordId> contradicted;      // Crossed, Cycle: a record that should have come before
    bool late = false;                         // its place was given away before
    StreamEnding ending = StreamEnding::Open;  // End only

    // The sources of all its communications, as far as they were reported before it. Valid while this record is, and `several`.
    std::span<const Cause> sources() const { return source && several.empty() ? std::span<const Cause>(&*source, 1) : several; }
};

inline constexpr std::uint64_t no_payload = ~std::uint64_t{0};  // of a range that no call of lost() named, and of an end

class SortedOutput {
public:
    virtual ~SortedOutput() = default;
    // Called once for each inserted record that is not repeated, each lost range and each end. The record precedes no earlier
    // one, unless either is assumed or late.
    virtual void report(const SortedRecord& record) = 0;
};

struct SorterCounts {
    std::uint64_t records = 0;   // inserted, without repeated ones
    std::uint64_t reported = 0;  // of these
    std::uint64_t joined = 0;    // communications with all ends
    std::uint64_t repeated = 0;  // came before, or fell into a range of lost records that is forgotten
    std::uint64_t late = 0;
    std::uint64_t assumed = 0;                               // records released with a reason
    std::uint64_t lost = 0;                                  // records in lost ranges
    std::uint64_t sources_missing = 0, targets_missing = 0;  // ends that are known not to come
    std::uint64_t contradictions = 0;                        // cycles, sources that never began, a second record for one end
    // Window, taken after each insertion with all that followed from it (figure 3): records in the graph, and those of them
    // that are not reported.
    std::uint64_t window = 0, unreported = 0, most_window = 0, most_unreported = 0;
    std::uint64_t window_sum = 0, unreported_sum = 0, steps = 0;
    std::uint64_t waited_sum = 0, most_waited = 0;  // insertions between a record's own and its report
};

class CausalSorter {
public:
    enum class Release : std::uint8_t {
        AtOnce,    // each record the moment that it is free
        OneByOne,  // free records wait for report_next()
    };
    struct Options {
        std::int64_t least_latency_ns = 0;  // a target is at least this much later than its source, by final times
        Release release = Release::AtOnce;
        // Sends of one channel that wait for their receive; beyond it the older half is deleted. A receive that comes then is
        // assumed. Also the number of casts that are kept for later receives.
        std::size_t most_waiting = 1U << 16;
        // False: a stream that has ended may still report a loss. Then its end proves of no record that it was never made.
        bool ends_are_final = true;
    };

    // Streams 0 ... streams - 1. `output` must outlive the sorter.
    CausalSorter(std::uint32_t streams, SortedOutput& output, Options options);
    CausalSorter(std::uint32_t streams, SortedOutput& output);
    ~CausalSorter();
    CausalSorter(const CausalSorter&) = delete;
    CausalSorter& operator=(const CausalSorter&) = delete;

    // A record with its ends. Streams may come in any order and repeatedly, when the ends do not depend on the order.
    // EXPECTS a stream that exists. A record of an ended stream is late.
    void insert(RecordId id, std::int64_t raw_ns, std::uint64_t payload, std::span<const End> ends);
    // A hint: records with these ends are inserted next. It changes nothing but the time that their insertion takes.
    void expect(std::span<const End> ends);
    // Records first ... last of the stream will not come; numbers that came are left out. `has_ends`: false when none of the
    // lost records can be an end of a communication.
    void lost(std::uint32_t stream, std::uint64_t first, std::uint64_t last, std::uint64_t payload = 0, bool has_ends = true);
    // The stream has `total` records: it ends when each of them has come or is lost.
    void finished(std::uint32_t stream, std::uint64_t total);
    // Nothing more comes from the stream. Numbers in between that have not come are lost.
    void ended(std::uint32_t stream, StreamEnding how);
    // Releases records that have waited for `steps` insertions or more, and missing numbers before them.
    void give_up(std::uint64_t steps);
    // Releases records that wait for what would have to follow from them. Streams wait for each other in a circle then, and a
    // source in it can only be lost, or be recorded too late. A source that comes after all is late. Circles without a lossy
    // stream and without a source that may be recorded late stay for finish(). True: there was one. Cost: linear in streams and
    // in ends that are alone, for each circle.
    bool break_deadlocks();
    // Ends all streams. Then breaks the cycles, the record with the least raw time first. Afterwards all is reported, or free.
    void finish();

    // OneByOne: reports the free record with the least (final time, stream, number). Call it when each stream has its next
    // record here: if none is free then, a cycle is broken as in finish(). False: all is reported.
    bool report_next();

    const SorterCounts& counts() const;
    bool has_ended(std::uint32_t stream) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tmon_order
