// Trace: the records received from every expected node, and the known losses. Made by the Collector, by trace_store.hpp from a
// trace file and by thesis_files.hpp from a .tvm; read by every analysis. Events are not copied: a Stream holds spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

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
};

// Records of one node in the order of their sequence numbers.
struct Stream {
    std::uint16_t node = 0;
    StreamState state = StreamState::Open;
    std::vector<LossRange> losses;              // ascending, disjoint
    std::vector<std::span<const Event>> parts;  // each without a gap inside
    // By part: the node's clock when its buffer manager began to pack the part's message. 0, or an empty list: not known.
    std::vector<std::uint64_t> unloaded_us{};

    std::uint64_t unloaded(std::size_t part) const { return part < unloaded_us.size() ? unloaded_us[part] : 0; }
    bool whole() const { return state == StreamState::Finished && losses.empty(); }
    std::size_t size() const {
        std::size_t sum = 0;
        for (const auto& part : parts) sum += part.size();
        return sum;
    }
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
