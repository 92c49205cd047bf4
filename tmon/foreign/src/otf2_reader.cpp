#include "otf2_reader.hpp"

#include <vocabulary/source_position.hpp>

#ifdef MAGICWIRE_OTF2

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "otf2_reading.hpp"

namespace tmon_foreign {
namespace {

using otf2::refuse;
using tmon_order::Operation;

constexpr std::int64_t most_ns = std::int64_t{1} << 60;
constexpr std::uint64_t most_events = (std::uint64_t{1} << 32) - 2;

using otf2::Reading;

Reading& of(void* data) {
    return *static_cast<Reading*>(data);
}

// The library's own words, in place of its lines on standard error.
[[gnu::format(printf, 6, 0)]] OTF2_ErrorCode keep_error(void* data, const char*, std::uint64_t, const char*,
                                                        OTF2_ErrorCode code, const char* format, std::va_list words) {
    char text[256] = "";
    if (format != nullptr) std::vsnprintf(text, sizeof text, format, words);
    std::string& why = of(data).why;
    if (why.empty()) why = fmt::format("{}{}{}", OTF2_Error_GetDescription(code), text[0] != '\0' ? ": " : "", text);
    return code;
}

class QuietLibrary {
public:
    explicit QuietLibrary(Reading& reading) : before_(OTF2_Error_RegisterCallback(keep_error, &reading)) {}
    ~QuietLibrary() { OTF2_Error_RegisterCallback(before_, nullptr); }
    QuietLibrary(const QuietLibrary&) = delete;
    QuietLibrary& operator=(const QuietLibrary&) = delete;

private:
    OTF2_ErrorCallback before_;
};

// Index of the new event, or `none` when the reading must stop.
std::uint32_t add(Reading& reading, OTF2_LocationRef location, OTF2_TimeStamp time, Kind kind) {
    const auto stream = reading.streams.find(location);
    const bool after = time >= reading.offset;
    const std::uint64_t ticks = after ? time - reading.offset : reading.offset - time;
    const std::uint64_t seconds = ticks / reading.resolution;
    const long double rest =
        static_cast<long double>(ticks % reading.resolution) / static_cast<long double>(reading.resolution);
    if (stream == reading.streams.end() || seconds >= static_cast<std::uint64_t>(most_ns / 1'000'000'000) ||
        reading.trace.events.size() >= most_events) {
        reading.why = stream == reading.streams.end() ? fmt::format("location {} is not defined", location)
                                                      : "a time is more than 36 years away from the trace's beginning";
        return none;
    }
    const std::int64_t ns = static_cast<std::int64_t>(seconds) * 1'000'000'000 + static_cast<std::int64_t>(rest * 1e9L);
    ForeignEvent event;
    event.time_ns = after ? ns : -ns;
    event.stream = stream->second;
    event.kind = kind;
    reading.trace.events.push_back(event);
    return static_cast<std::uint32_t>(reading.trace.events.size() - 1);
}

OTF2_CallbackCode region(void* data, OTF2_LocationRef location, OTF2_TimeStamp time, OTF2_RegionRef self, Kind kind) {
    Reading& reading = of(data);
    const std::uint32_t event = add(reading, location, time, kind);
    if (event == none) return OTF2_CALLBACK_INTERRUPT;
    const auto known = reading.region_names.find(self);
    reading.trace.events[event].name =
        known != reading.region_names.end() ? known->second : reading.name(fmt::format("region {}", self));
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                           OTF2_RegionRef self) {
    return region(data, location, time, self, Kind::Enter);
}
OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                           OTF2_RegionRef self) {
    return region(data, location, time, self, Kind::Leave);
}

OTF2_CallbackCode send(void* data, OTF2_LocationRef location, OTF2_TimeStamp time, std::uint32_t to, OTF2_CommRef communicator,
                       std::uint32_t tag, std::uint64_t bytes) {
    Reading& reading = of(data);
    const std::uint32_t event = add(reading, location, time, Kind::Send);
    if (event == none) return OTF2_CALLBACK_INTERRUPT;
    reading.trace.events[event].tag = tag;
    reading.trace.events[event].bytes = bytes;
    reading.ends.send(event, communicator, to, tag);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode receive(void* data, OTF2_LocationRef location, OTF2_TimeStamp time, std::uint32_t from,
                          OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes,
                          std::optional<std::uint64_t> request) {
    Reading& reading = of(data);
    const std::uint32_t event = add(reading, location, time, Kind::Receive);
    if (event == none) return OTF2_CALLBACK_INTERRUPT;
    reading.trace.events[event].tag = tag;
    reading.trace.events[event].bytes = bytes;
    reading.ends.receive(event, communicator, from, tag, request);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*, std::uint32_t to,
                          OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
    return send(data, location, time, to, communicator, tag, bytes);
}
OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*, std::uint32_t to,
                           OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes, std::uint64_t) {
    return send(data, location, time, to, communicator, tag, bytes);
}
OTF2_CallbackCode on_receive(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                             std::uint32_t from, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
    return receive(data, location, time, from, communicator, tag, bytes, std::nullopt);
}
OTF2_CallbackCode on_ireceive(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                              std::uint32_t from, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes,
                              std::uint64_t request) {
    return receive(data, location, time, from, communicator, tag, bytes, request);
}

OTF2_CallbackCode other(void* data, OTF2_LocationRef location, OTF2_TimeStamp time, const char* name) {
    Reading& reading = of(data);
    const std::uint32_t event = add(reading, location, time, Kind::Other);
    if (event == none) return OTF2_CALLBACK_INTERRUPT;
    reading.trace.events[event].name = reading.name(name);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_posted(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                            std::uint64_t request) {
    const OTF2_CallbackCode code = other(data, location, time, "MpiIrecvRequest");
    if (code == OTF2_CALLBACK_SUCCESS) of(data).ends.posted(of(data).trace.events.back().stream, request);
    return code;
}
OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                               std::uint64_t request) {
    const OTF2_CallbackCode code = other(data, location, time, "MpiRequestCancelled");
    if (code == OTF2_CALLBACK_SUCCESS) of(data).ends.cancelled(of(data).trace.events.back().stream, request);
    return code;
}
OTF2_CallbackCode on_sent(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*, std::uint64_t) {
    return other(data, location, time, "MpiIsendComplete");
}

struct Collective {
    const char* name;
    std::optional<Operation> operation;  // empty: members may give or take nothing, so that nobody waits for them
};
Collective collective_of(OTF2_CollectiveOp operation) {
    switch (operation) {
        case OTF2_COLLECTIVE_OP_BARRIER:
            return {"barrier", Operation::Barrier};
        case OTF2_COLLECTIVE_OP_BCAST:
            return {"bcast", Operation::Multicast};
        case OTF2_COLLECTIVE_OP_SCATTER:
            return {"scatter", Operation::Multicast};
        case OTF2_COLLECTIVE_OP_GATHER:
            return {"gather", Operation::Concatenate};
        case OTF2_COLLECTIVE_OP_REDUCE:
            return {"reduce", Operation::Combine};
        case OTF2_COLLECTIVE_OP_ALLGATHER:
            return {"allgather", Operation::AllToAll};
        case OTF2_COLLECTIVE_OP_ALLTOALL:
            return {"alltoall", Operation::AllToAll};
        case OTF2_COLLECTIVE_OP_ALLREDUCE:
            return {"allreduce", Operation::AllToAll};
        case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
            return {"reduce-scatter-block", Operation::AllToAll};
        case OTF2_COLLECTIVE_OP_SCAN:
            return {"scan", Operation::Prefix};
        case OTF2_COLLECTIVE_OP_EXSCAN:
            return {"exscan", Operation::Prefix};
        default:
            return {"collective", std::nullopt};
    }
}
OTF2_CallbackCode on_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*) {
    Reading& reading = of(data);
    const std::uint32_t event = add(reading, location, time, Kind::CollectiveBegin);
    if (event == none) return OTF2_CALLBACK_INTERRUPT;
    reading.ends.collective_begins(event);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                    OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root,
                                    std::uint64_t sent, std::uint64_t received) {
    Reading& reading = of(data);
    const std::uint32_t event = add(reading, location, time, Kind::CollectiveEnd);
    if (event == none) return OTF2_CALLBACK_INTERRUPT;
    Collective collective = collective_of(operation);
    // Without bytes, only a barrier is one for certain.
    if (operation != OTF2_COLLECTIVE_OP_BARRIER && sent == 0 && received == 0) collective.operation.reset();
    reading.trace.events[event].name = reading.name(collective.name);
    reading.trace.events[event].bytes = sent + received;
    reading.ends.collective_ends(event, communicator, collective.operation, root);
    return OTF2_CALLBACK_SUCCESS;
}

struct CloseReader {
    void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using ReaderRef = std::unique_ptr<OTF2_Reader, CloseReader>;

void set_event_calls(OTF2_GlobalEvtReaderCallbacks* calls) {
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(calls, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(calls, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(calls, on_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(calls, on_isend);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(calls, on_sent);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(calls, on_receive);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(calls, on_ireceive);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(calls, on_posted);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(calls, on_cancelled);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveBeginCallback(calls, on_collective_begin);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(calls, on_collective_end);
}

void read_events(OTF2_Reader* reader, Reading& reading, const std::string& file) {
    for (const std::uint64_t location : reading.locations) OTF2_Reader_SelectLocation(reader, location);
    const bool local = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
    reading.why.clear();  // an archive need not have local definitions
    if (OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS) refuse(file, reading, "its events cannot be read");
    for (const std::uint64_t location : reading.locations) {
        OTF2_DefReader* definitions = local ? OTF2_Reader_GetDefReader(reader, location) : nullptr;
        std::uint64_t read = 0;
        if (definitions != nullptr) {
            OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
            OTF2_Reader_CloseDefReader(reader, definitions);
        }
        if (OTF2_Reader_GetEvtReader(reader, location) == nullptr)
            refuse(file, reading, fmt::format("the events of location {} cannot be read", location));
    }
    if (local) OTF2_Reader_CloseDefFiles(reader);
    OTF2_GlobalEvtReader* events = OTF2_Reader_GetGlobalEvtReader(reader);
    if (events == nullptr) refuse(file, reading, "its events cannot be read");
    OTF2_GlobalEvtReaderCallbacks* calls = OTF2_GlobalEvtReaderCallbacks_New();
    set_event_calls(calls);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, calls, &reading);
    OTF2_GlobalEvtReaderCallbacks_Delete(calls);
    std::uint64_t read = 0;
    const bool good = OTF2_Reader_ReadAllGlobalEvents(reader, events, &read) == OTF2_SUCCESS;
    OTF2_Reader_CloseGlobalEvtReader(reader, events);
    OTF2_Reader_CloseEvtFiles(reader);
    ForeignTrace& trace = reading.trace;
    if (!good || read < reading.told) {
        if (trace.events.empty()) refuse(file, reading, "its first event cannot be read");
        trace.status = fmt::format("damaged after {} of {} events: {}; those before are whole", read, reading.told,
                                   reading.why.empty() ? "there are fewer than the definitions say" : reading.why);
        for (ForeignTrace::Stream& stream : trace.streams) stream.ending = tmon_order::StreamEnding::Open;
    }
    trace.left_out = read > trace.events.size() ? read - trace.events.size() : 0;
}

}  // namespace

ForeignTrace read_otf2(const std::string& file) {
    const auto reading = std::make_unique<Reading>();
    reading->trace.format = Format::Otf2;
    reading->trace.file = file;
    reading->trace.status = "whole";
    reading->trace.clock = "that of the OTF2 archive";
    const QuietLibrary quiet(*reading);
    const ReaderRef reader(OTF2_Reader_Open(file.c_str()));
    if (reader == nullptr) refuse(file, *reading, "it is no OTF2 anchor file");
    OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
    otf2::read_definitions(reader.get(), *reading, file);
    read_events(reader.get(), *reading, file);
    reading->ends.finish(reading->trace.status == "whole");
    return std::move(reading->trace);
}

}  // namespace tmon_foreign

#else

namespace tmon_foreign {

ForeignTrace read_otf2(const std::string& file) {
    throw vocabulary::InputError(
        {file, 0, 0}, "OTF2 archives cannot be read by this build; build it where libopen-trace-format2-dev is installed");
}

}  // namespace tmon_foreign

#endif
