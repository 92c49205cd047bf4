// RecordWatch: truth about the trace itself, at no modelled cost. It sees every record when it is made, and so shows which part
// of the trace a crash would lose. No analysis reads it.
#pragma once

#include <cstdint>
#include <optional>

#include <trace_record/event_class.hpp>
#include <trollius_os/message.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace instrumentation {

// The node and the number of records in a packet on its way to the host; empty if it is no trace or damaged.
struct RecordsInPacket {
    vocabulary::NodeId node;
    std::uint32_t count = 0;
};
std::optional<RecordsInPacket> records_in(const trollius_os::Message& packet);

class RecordWatch {
public:
    // `lost`: there was no room, and this record or a waiting one is dropped.
    virtual void made(vocabulary::NodeId node, trace_record::EventClass which, vocabulary::SimTime when, bool lost) = 0;

protected:
    ~RecordWatch() = default;
};

}  // namespace instrumentation
