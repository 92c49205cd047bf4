// A trace of another program, in memory: PICL of 1992 and of 1990, or an OTF2 archive (docs/decisions/0051). Each stream, a
// processor or a location, has its events in its own order, with a time and what they say of messages and collectives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tmon_order/causal_sorter.hpp>
#include <tmon_order/communication.hpp>

namespace tmon_foreign {

inline constexpr std::uint32_t none = ~std::uint32_t{0};

enum class Format : std::uint8_t { Picl, PiclOld, Otf2 };

enum class Kind : std::uint8_t { Other, Send, Receive, CollectiveBegin, CollectiveEnd, Enter, Leave, Lost, End };
std::string_view kind_name(Kind kind);  // "other", "send", "receive", "collective-begin", ...

struct ForeignEvent {
    std::int64_t time_ns = 0;      // by the stream's own clock; between -2^59 and 2^61
    std::uint64_t bytes = 0;       // Send, Receive; Lost: the number of records
    std::int64_t tag = 0;          // Send, Receive
    std::uint32_t stream = 0;      // index of ForeignTrace::streams
    std::uint32_t partner = none;  // Send, Receive: stream of the other end; none: it is not in the trace
    std::uint32_t end = none;      // index of ForeignTrace::ends
    std::uint32_t name = none;     // index of ForeignTrace::names: a region, an operation
    // PICL: what stands before and behind the time in its line, in ForeignTrace::text.
    std::uint32_t before = 0, behind = 0, behind_end = 0;
    Kind kind = Kind::Other;
};

struct ForeignTrace {
    Format format = Format::Picl;
    std::string file;
    std::string status;  // "whole", or where and why the part that can be read ends
    std::string clock;   // of the times
    struct Stream {
        std::string name;  // "host" of PICL, or the name of an OTF2 location; empty: the number says it
        tmon_order::StreamEnding ending = tmon_order::StreamEnding::Open;
    };
    std::vector<Stream> streams;
    std::vector<ForeignEvent> events;  // in the order of the file; of OTF2 in that of its reader, by time
    std::vector<tmon_order::End> ends;
    std::vector<std::string> names;
    std::string text;
    std::uint64_t left_out = 0;  // records of kinds that this reader does not take
};

// True when the file is a trace of one of these formats, by its name (.otf2) or its first bytes.
bool is_foreign(const std::string& file);

// Throws vocabulary::InputError, with file and line, when not even the first record can be read. A trace that is damaged
// further on is read up to there, and `status` says so. Memory: 72 bytes an event, 136 an end of a communication, and for PICL
// the lines themselves.
ForeignTrace read_foreign(const std::string& file);

}  // namespace tmon_foreign
