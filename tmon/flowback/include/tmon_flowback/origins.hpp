// Origins: the events that gave bytes of memory the values that they have before another event. These are the data dependences
// of PPD's dynamic graph (Miller and Choi 1988, section 4.2). The search goes backward through the interval, those inside it,
// and those around it. Earlier calls of the process follow. It ends at a message, or at the program's initial values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_flowback/recorded_run.hpp>

namespace tmon_flowback {

enum class Certainty : std::uint8_t { Certain, Likely, Unknown };
const char* name_of(Certainty certainty);

struct Origin {
    enum class Kind : std::uint8_t {
        Event,      // a store, a copy, a fill, or a call that wrote
        Allocated,  // memory that was allocated and never set
        Unset,      // a variable that was never set
        Received,   // a message: the event is the call that gave it, if there is one
        Initial,    // the program's initial value
        Unknown
    };
    Kind kind = Kind::Unknown;
    std::uint64_t address = 0, bytes = 0;
    std::uint32_t asked = 0;                          // the process that was asked about
    std::uint32_t process = 0;                        // where it was found
    std::optional<EventId> event;                     // Event, Allocated, Unset, Received by a call
    std::uint32_t message = nothing, root = nothing;  // Received: by a call, or with the function's call
    std::uint64_t message_offset = 0;                 // of the first byte inside it
    std::uint32_t part = 0;                           // of a root's message
    // Event, Received: what the library did inside the call (ProcessLog::acts()). `message_offset` is one among its data.
    std::uint32_t act = nothing;
    std::uint32_t global = nothing;  // Initial
    std::string why;                 // Unknown: the reason
    std::vector<std::string> doubts;
    bool may_have_changed = false;  // a call may have written it since
};

class Origins {
public:
    explicit Origins(RecordedRun& run) : run_(run) {}

    // The bytes are as they are right before the event. Several origins when parts differ. `act`: right before it, inside the
    // call that the event is.
    std::vector<Origin> of(const EventId& before, std::uint64_t address, std::uint64_t bytes, std::uint32_t act = nothing);
    // As the process left them at its end.
    std::vector<Origin> at_end(std::uint32_t process, std::uint64_t address, std::uint64_t bytes);

private:
    struct Search;
    void finish(std::vector<Origin>& found, std::uint32_t process);
    void doubt_root(Search& search, std::uint32_t process, std::uint32_t root);
    void in_interval(Search& search, std::uint32_t process, std::uint32_t interval, std::uint32_t before);
    void in_call(Search& search, const EventId& call, std::uint32_t before_nested);
    void in_act(Search& search, const EventId& call, std::uint32_t act);
    void before_act(Search& search, const EventId& call, std::uint32_t act);
    void in_finished(Search& search, std::uint32_t process, std::uint32_t interval);
    void above(Search& search, std::uint32_t process, std::uint32_t interval);
    void earlier(Search& search, std::uint32_t process, std::uint32_t before);
    void initial(Search& search);

    RecordedRun& run_;
};

}  // namespace tmon_flowback
