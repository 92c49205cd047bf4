// Predicate: a statement about the states of a machine of many nodes, and its one grammar (docs/guide/predicates.md):
//
// - `predicate = event { "->" event }`. Each happened before the next (Miller and Choi 1988).
// - `predicate = ("possibly" | "definitely") "(" local { "and" local } ")"`.
// - `predicate = "count" "(" event ")" ">=" number`.
// - `predicate = "in_flight" "(" node "," node [ "," "messages" ] ")" ">=" number`.
// - `predicate = "unread" "(" node [ "," "messages" ] ")" ">=" number`.
// - `local = event | "count" "(" event ")" ">=" number | "between" "(" event "," event ")"`.
// - `event = kind [ "(" [ node ] { "," field comparison value } ")" ]`.
//
// A local is a state of one node, so its events name that node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tmon_predicates/event_pattern.hpp>
#include <trace_record/event_class.hpp>

namespace tmon_predicates {

struct Local {
    enum class What : std::uint8_t {
        Newest,   // the newest record of the node is such an event
        Count,    // so many such events have been
        Between,  // such an event has been, and since then none of `until`
    };
    What what = What::Newest;
    EventPattern event{}, until{};
    std::uint64_t least = 0;
};

enum class Messages : std::uint8_t { Tasks, Kernel };  // tasks and results of a farm; messages of programs (class message)

struct Predicate {
    enum class What : std::uint8_t { Linked, Possibly, Definitely, Count, InFlight, Unread };
    What what = What::Linked;
    std::string text{};                   // as it was given
    std::vector<EventPattern> events{};   // Linked, Count
    std::vector<Local> locals{};          // Possibly, Definitely
    std::uint16_t from = 0, to = 0;       // InFlight; Unread: `to`
    Messages messages = Messages::Tasks;  // InFlight, Unread
    std::uint64_t least = 0;              // Count, InFlight, Unread
};

// Classes of the records that it names.
trace_record::ClassSet classes_of(const Predicate& predicate);
// The first of these classes that is not recorded all the time, in words; empty: all are.
std::string classes_off(trace_record::ClassSet named, trace_record::ClassSet recorded);

// For nodes n0 ... n(nodes - 1). Throws vocabulary::InputError, which names the column and what may stand there; `where` stands
// for the name of a file. Cost: linear in the text, which has at most 4096 characters.
Predicate parse_predicate(const std::string& text, std::uint16_t nodes, const std::string& where = "predicate");

}  // namespace tmon_predicates
