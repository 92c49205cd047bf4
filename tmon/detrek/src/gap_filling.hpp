// Puts events that a node lost into the gaps of its stream. Links and processes bound the place of each: a task comes before
// its result. Private: completion.cpp and histories.cpp use it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

// One end of a message over the link between a worker and its parent. `bit` is EventGraphs::sent, received, result_sent or
// result_received.
struct LostEvent {
    std::uint32_t task = 0;
    std::uint16_t worker = 0;  // the lower end of the link
    trace_record::SubTaskId subtask = 0;
    std::uint8_t bit = 0;
    bool waits = false;  // a result that waits above, so no other result of the worker follows it

    friend auto operator<=>(const LostEvent&, const LostEvent&) = default;
};

// The record of this event, without time and number.
trace_record::Event record_of(const LostEvent& lost, const farm_spec::FarmTree& tree);

// True when the node gave its end mark and lost records: it knows how many.
bool is_lossy(const tmon_streams::Stream& stream);
// Number of records in the gaps.
std::uint64_t lost_records(const tmon_streams::Stream& stream);

struct FilledStream {
    std::vector<trace_record::Event> records;  // all of them, ascending by number
    std::vector<trace_record::Event> in_gaps;  // those that were lost
};
// The records of the stream with these in its gaps. Numbers of a gap that are left over have no record. The order is one of
// those that are possible; it need not be the true one. Empty: no order is possible. Cost: one pass.
std::optional<FilledStream> with_gaps_filled(const tmon_streams::Stream& stream, const farm_spec::FarmTree& tree,
                                             std::vector<LostEvent> lost);

// The last message from above that each silent node recorded. The link to it may have failed just before the sender knew that
// this one had arrived. The sender records each before it sends the next, so an earlier one has its record. Cost: one pass over
// the records of silent nodes.
class LastArrivals {
public:
    LastArrivals(const tmon_streams::Trace& trace, const farm_spec::FarmTree& tree);
    // True when another message arrived over this link after the one that this send made.
    bool was_followed(const LostEvent& send) const;

private:
    std::map<std::uint16_t, std::pair<std::uint32_t, trace_record::SubTaskId>> last_;  // by silent node
};

// Gives the node these records, and no losses any more.
void replace_stream(tmon_streams::Trace& trace, std::uint16_t node, std::vector<trace_record::Event> records);

}  // namespace tmon_detrek
