// Predicates of `break when`: what is read, is evaluated on a short run of three nodes.
#include <string>

#include <tmon_predicates/predicate_watch.hpp>

#include "fuzz_target.hpp"

namespace {

using trace_record::Event;
using trace_record::EventKind;

constexpr std::uint16_t nodes = 3;

void run(tmon_order::TraceSorter& sorter) {
    const auto add = [&](std::uint16_t node, std::uint32_t seq, Event event) {
        event.node = node;
        event.seq = seq;
        sorter.records(node, seq, {&event, 1}, 0);
    };
    add(1, 0, {.task = 1, .subtask = 0x10, .bytes = 10, .peer = 0, .kind = EventKind::Receive});
    add(1, 1, {.task = 7, .kind = EventKind::User});
    add(0, 0, {.task = 1, .subtask = 0x10, .bytes = 10, .peer = 1, .kind = EventKind::Send});
    sorter.lost({.node = 2, .first_seq = 0, .last_seq = 3});
    add(2, 4, {.task = 7, .subtask = 1, .bytes = 1, .peer = 0, .kind = EventKind::SendCall});
    add(0, 1, {.task = 1, .subtask = 1, .peer = 2, .kind = EventKind::Partner});
    add(0, 2, {.task = 7, .subtask = 1, .peer = 2, .kind = EventKind::MessageReceive});
    sorter.ended(0, 3);
    sorter.finish();
}

}  // namespace

FUZZ_TARGET(predicate, input) {
    const tmon_predicates::Predicate predicate = tmon_predicates::parse_predicate(std::string(input), nodes);
    tmon_predicates::PredicateWatch watch(nodes);
    watch.add(predicate);
    tmon_order::TraceSorter sorter(nodes, watch, {});
    run(sorter);
    watch.finish();
    const tmon_predicates::PredicateAnswer& answer = watch.answer(0);
    fuzz::require(answer.truth != tmon_predicates::Truth::NotSoFar, "a predicate is left open at the end");
    fuzz::require(answer.certainty == tmon_predicates::Certainty::Certain || !answer.why.empty(), "a doubt has no reason");
}
