// The part that an event has in communications, as the parameters say: which fields of its class have key, channel and so on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filter_parameters.hpp"
#include "library_refs.hpp"

namespace babeltrace_filter {

enum class Part : std::uint8_t { None, Send, Receive, BarrierBegin, BarrierEnd };

// A member at the top of one of an event's structures.
struct FieldPlace {
    enum class Scope : std::uint8_t { Payload, SpecificContext, CommonContext, PacketContext };
    Scope scope = Scope::Payload;
    std::uint64_t index = 0;
};

struct EventRule {
    Part part = Part::None;
    std::vector<FieldPlace> key, channel;
    std::optional<FieldPlace> number, partner, members, instance;
};

// Throws FilterError when the class of a named event has no such field, or one of another kind. Fields are looked for in the
// payload, then in the event's own context, the streams' common one, and that of the packet.
EventRule make_rule(const bt_event_class* event_class, const FilterParameters& parameters);

// The field, or null when the event is not in a packet.
const bt_field* field_at(const bt_event* event, const FieldPlace& place);

// A whole number, as 64 bits. EXPECTS a field that make_rule() took as one.
std::uint64_t number_in(const bt_field* field);

// Numbers and texts of the fields, each with its length, so that other fields have other bytes.
void append_values(const bt_event* event, const std::vector<FieldPlace>& places, std::string& bytes);

}  // namespace babeltrace_filter
