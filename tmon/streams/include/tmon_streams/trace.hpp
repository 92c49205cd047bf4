// Trace: the records received from every expected node, and the known losses. Made by the Collector, by trace_store.hpp from a
// trace file and by thesis_files.hpp from a .tvm; read by every analysis. Events are not copied: a Stream holds spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <scratch/record_store.hpp>
#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>

namespace tmon_streams {

using trace_record::Event;
using trace_record::EventKind;
using trace_record::LossCause;
using trace_record::LossRange;
using trace_record::SubTaskId;

enum class StreamState : std::uint8_t {
    Finished,  // the node gave its end mark: it lived to the end of the session
    Open,      // no end mark: the node died, cannot be reached, or the session was cut; its last records may be missing
};

// How monitoring ended. Only the runner of the session knows; without that knowledge an analysis is certain of less.
enum class SessionEnd : std::uint8_t {
    Unknown,
    StoodStill,    // nothing moved any more, and the program had not ended by itself
    ProgramEnded,  // result_receiver() returned and the machine printed its final report
    Cut,           // ended while nodes were still at work: an apparent stop may only be slow
    NeverBegan,    // abandoned while the machine was booted or loaded: no task ever left the manager
    GoesOn,        // it has not ended: the records so far, of a farm under way
};

// Parts of a stream in their order (Stream::in_passing()).
class Pass {
public:
    class Iterator {
    public:
        Iterator(const Pass& pass, std::size_t part) : pass_(pass), part_(part) {}
        std::span<const Event> operator*() const { return pass_.parts_[part_]; }
        Iterator& operator++() {
            const std::span<const Event> before = pass_.parts_[part_++];
            const bool goes_on = part_ < pass_.parts_.size() && pass_.parts_[part_].data() == before.data() + before.size();
            if (!goes_on && pass_.store_ != nullptr && !before.empty()) pass_.store_->leave(before.data());
            return *this;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.part_ == b.part_; }

    private:
        const Pass& pass_;
        std::size_t part_;
    };

    Pass(std::span<const std::span<const Event>> parts, const scratch::RecordStore* store) : parts_(parts), store_(store) {}
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, parts_.size()}; }

private:
    std::span<const std::span<const Event>> parts_;
    const scratch::RecordStore* store_;
};

// Records of one node in the order of their sequence numbers.
struct Stream {
    std::uint16_t node = 0;
    StreamState state = StreamState::Open;
    std::vector<LossRange> losses;              // ascending, disjoint
    std::vector<std::span<const Event>> parts;  // each without a gap inside
    // By part: the node's clock when its buffer manager began to pack the part's message. 0, or an empty list: not known.
    std::vector<std::uint64_t> unloaded_us{};
    // By part: its place among the blocks of all nodes as the host got them. An empty list: not known.
    std::vector<std::uint64_t> came{};
    const scratch::RecordStore* store = nullptr;  // of the records; nullptr: they stay in memory
    // Records that came and are in no part: those of folded tasks, and those of other classes
    // (tmon_detrek/growing_analysis.hpp).
    std::uint64_t folded = 0, others = 0;

    // The parts for one pass, in order. Records that the pass has left may leave the host's memory too, until they are read
    // again.
    Pass in_passing() const { return {parts, store}; }

    std::uint64_t unloaded(std::size_t part) const { return part < unloaded_us.size() ? unloaded_us[part] : 0; }
    bool whole() const { return state == StreamState::Finished && losses.empty(); }
    // Number of records in the parts, and of all records.
    std::size_t kept() const {
        std::size_t sum = 0;
        for (const auto& part : parts) sum += part.size();
        return sum;
    }
    std::size_t size() const { return kept() + folded + others; }
};

struct Trace {
    std::vector<Stream> streams;  // one per expected node; streams[n].node == n
    bool losses_known = true;     // false: records may be missing unreported (a foreign .tvm)
    // Made from a .tvm of a farm with work stealing. That file does not distinguish a result from a stolen task on its way up.
    bool directions_guessed = false;
    SessionEnd session = SessionEnd::Unknown;
    std::uint64_t suspect_records = 0;  // received twice with different content, or out of their block's sequence
    // Messages that nodes or the host could not use or know to be lost. The machine's links keep no copies, so other damage
    // may be unseen.
    std::uint64_t dropped_messages = 0;
    // Number of returned results in the final report that the machine printed on the host. Empty: no report, or not known.
    std::optional<std::uint32_t> reported_results{};
    // True when some messages of the monitor leave the farm's tree; set by code that knows the machine. The end mark of a node
    // then does not prove that the tree's links between that node and node 0 work.
    bool marks_take_other_ways = false;
    std::vector<std::shared_ptr<const void>> keep;  // owners of the records that the spans show

    std::size_t size() const {
        std::size_t sum = 0;
        for (const Stream& stream : streams) sum += stream.size();
        return sum;
    }
};

}  // namespace tmon_streams
