// A reference for read_stops(): programs as plain lists of moves, and random runs of them. It makes every history that agrees
// with the records by trying each next move. It shares nothing with the component but the types of a trace and of an answer.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <tmon_models/stops.hpp>
#include <tmon_streams/trace.hpp>

namespace stops_reference {

struct PlainMove {
    bool send = false;
    std::uint16_t peer = 0;
    std::uint32_t unit = 0;
};
struct PlainBlock {
    std::string by;  // empty: no process
    std::vector<PlainMove> moves;
    std::uint32_t unit = 0;
};
struct PlainProgram {
    std::vector<std::uint16_t> parents;  // by node; of node 0: itself
    bool synchronous = false;
    std::string label;
    std::vector<std::vector<PlainBlock>> nodes;
};

PlainProgram halo(const std::vector<std::uint16_t>& parents, std::uint32_t units);
// last_works: the last node has a process behind its receive, which leaves no record.
PlainProgram pipeline(std::uint16_t nodes, std::uint32_t units, bool last_works);

struct Position {
    std::size_t block = 0;
    std::uint32_t mask = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
};

struct Session {
    tmon_streams::Trace trace;
    std::vector<Position> truth;
    std::vector<bool> open;                // by node; so in `trace`
    std::vector<std::uint16_t> stopped;    // nodes that were made to stop, where they stopped
    std::vector<std::uint16_t> near_link;  // of these, and their neighbours, those where a link may have failed
};
// A run in which up to two nodes stop, some fall silent, and others lose records.
Session random_session(const PlainProgram& program, std::mt19937& random);

// The answer for nodes in these positions; one where a process may or may not have ended gives several.
std::set<tmon_models::ProgramAnswer> answers_of(const PlainProgram& program, const std::vector<Position>& positions,
                                                const std::vector<bool>& open);
std::set<tmon_models::ProgramAnswer> every_answer(const PlainProgram& program, const tmon_streams::Trace& trace);
// The same, apart for histories that agree about which of these records were made: bit i of the key tells of the i-th.
std::map<unsigned, std::set<tmon_models::ProgramAnswer>> answers_by(const PlainProgram& program,
                                                                    const tmon_streams::Trace& trace,
                                                                    const std::vector<trace_record::Event>& records);

}  // namespace stops_reference
