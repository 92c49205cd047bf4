// The state of reading an OTF2 archive, and the first part of it: the definitions.
#pragma once

#ifdef MAGICWIRE_OTF2

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi_ends.hpp"

namespace tmon_foreign::otf2 {

// The callbacks fill this in.
struct Reading {
    ForeignTrace trace;
    MpiEnds ends{trace};
    std::uint64_t resolution = 1, offset = 0;
    std::unordered_map<std::uint64_t, std::string> strings;
    std::vector<std::uint64_t> locations;                           // by stream
    std::unordered_map<std::uint64_t, std::uint32_t> streams;       // by location
    std::unordered_map<std::uint64_t, std::uint32_t> region_names;  // index of names
    struct Group {
        OTF2_GroupType type;
        OTF2_Paradigm paradigm;
        std::vector<std::uint64_t> members;
    };
    std::unordered_map<std::uint64_t, Group> groups;
    std::map<OTF2_Paradigm, std::vector<std::uint64_t>> worlds;          // locations of all ranks
    std::vector<std::pair<std::uint64_t, std::uint64_t>> communicators;  // with their groups
    std::vector<std::pair<std::uint64_t, std::uint64_t>> inter;          // has no single group
    std::uint64_t told = 0;                                              // events that the definitions promise
    std::unordered_map<std::string, std::uint32_t> names;
    std::string why;  // of a stop

    std::uint32_t name(const std::string& text) {
        const auto [found, added] = names.emplace(text, static_cast<std::uint32_t>(trace.names.size()));
        if (added) trace.names.push_back(text);
        return found->second;
    }
};

// Throws vocabulary::InputError with `what` and the library's words.
[[noreturn]] void refuse(const std::string& file, const Reading& reading, const std::string& what);

// Streams, names and communicators. Throws vocabulary::InputError when they are damaged.
void read_definitions(OTF2_Reader* reader, Reading& reading, const std::string& file);

}  // namespace tmon_foreign::otf2

#endif
