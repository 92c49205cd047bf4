// Acts: the way of data through a library, as MPI. A call of the program may receive a message, copy it, combine it with others
// and send it on. This finds the memory of the program that the data were in before.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <tmon_flowback/origins.hpp>

namespace tmon_flowback {

// Pieces of memory hold data in their order. A part of the data, by its offset, is in these places.
std::vector<flowback_log::Range> places_of(const std::vector<flowback_log::Range>& pieces, std::uint64_t offset,
                                           std::uint64_t bytes);
std::uint64_t bytes_of(const std::vector<flowback_log::Range>& pieces);
// A part of combined data, as whole elements.
flowback_log::Range whole_elements(const LoggedAct& act, std::uint64_t offset, std::uint64_t bytes);

// An act of a process.
struct ActId {
    std::uint32_t process = nothing, act = nothing;
};
// The act that sent what this one received, and the other way round. None: `why` says the reason.
std::optional<ActId> sender_of(const RecordedRun& run, const ActId& received, std::string& why);
std::optional<ActId> receiver_of(const RecordedRun& run, const ActId& sent);

// Memory of the program that data came from.
struct DataSource {
    EventId call;  // the library took them there
    std::uint32_t act = nothing;
    flowback_log::Range place;
    std::uint64_t offset = 0;  // among the data that were asked about
    bool combined = false;     // with others, by an operation
    bool received = false;     // in a message
    bool inside = false;       // a function of the program wrote them inside the call
    Origin origin;             // of the place
    std::vector<std::string> doubts;
    std::string why;  // not empty: the way cannot be followed further, and the rest means nothing
};

class DataWay {
public:
    explicit DataWay(RecordedRun& run) : run_(run), origins_(run) {}
    // For a part of the data of an act that wrote memory.
    std::vector<DataSource> sources(const EventId& call, std::uint32_t act, std::uint64_t offset, std::uint64_t bytes);

private:
    // The part of the way behind a place: where it began among the data asked about, and what happened there.
    struct Way {
        std::uint64_t asked = 0;
        bool combined = false, received = false;
    };
    void follow(const EventId& call, std::uint32_t act, flowback_log::Range part, Way way);
    void place(const EventId& call, std::uint32_t act, const std::vector<flowback_log::Range>& places, Way way);
    bool is_inside(const EventId& call, const Origin& origin);
    void stop(std::string why);

    RecordedRun& run_;
    Origins origins_;
    std::vector<DataSource> found_;
    std::vector<std::string> doubts_;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, bool>> seen_;
};

// Why the effects of a call are not known: a function that is not prepared; empty: they are.
std::string unknown_call(RecordedRun& run, const EventId& call);
// True when an object of the program lies at the address before the event: a variable, or memory that it has allocated.
bool is_of_program(RecordedRun& run, const EventId& before, std::uint64_t address);

}  // namespace tmon_flowback
