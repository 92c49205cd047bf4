// Races on memory that two processes of a node share (Miller and Choi 1988, section 6.4, definitions 6.1 to 6.4). In a farm
// these are data_generator and result_receiver. They share the blocks that init_master left in the heap, and each can reach a
// block of the other by a pointer.
//
// An internal edge is what a process does between two of its messages. Two edges are simultaneous when no chain of messages
// leads from one to the other. They race when both touch a byte and one writes it.
//
// Cost: the emulation of both processes; then each pair of statements once for each block of memory that they both touch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tmon_flowback/origins.hpp>

namespace tmon_flowback {

struct RacingAccess {
    EventId event;
    bool writes = false;
    std::uint64_t edge = 0;  // number of messages of the process before it
};

// Two statements, with the first of their executions that race.
struct Race {
    RacingAccess first, second;     // of data_generator; of result_receiver
    flowback_log::Range place;      // that both touch
    std::string name;               // of the place
    std::uint64_t occurrences = 0;  // pairs of executions
    Certainty certainty = Certainty::Certain;
};

struct Races {
    std::vector<Race> all;            // by the places in the source
    std::uint64_t shared_bytes = 0;   // that init_master left
    std::uint64_t accesses = 0;       // of the heap
    std::vector<std::string> doubts;  // why races may be missing
    std::uint64_t emulated = 0;
    std::vector<std::string> damaged, differences;
};

Races find_races(RecordedRun& run);

std::string text_of(RecordedRun& run, const Races& races);
nlohmann::ordered_json json_of(RecordedRun& run, const Races& races);

}  // namespace tmon_flowback
