// OrderRules: the communications in which the records of a trace take part. They follow from a record and those before it on
// its stream (Kimelman and Zernik 1993, section 2.2).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tmon_order/communication.hpp>
#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>

namespace tmon_order {

class OrderRules {
public:
    virtual ~OrderRules() = default;
    // Adds the ends of a record to `ends`. Records of one node come in the order of their numbers, those of different nodes in
    // any order.
    virtual void ends(const trace_record::Event& event, std::vector<End>& ends) = 0;
    // The same records come once more, perhaps with the nodes in another order. Each gets the ends that it had. Does nothing
    // where ends never depend on other nodes' records.
    virtual void begin_again() {}
};

// Tasks and results of a farm: a send precedes its receive. Equal messages are joined first in, first out, as in
// message_matcher.hpp. Messages of the kernel: the call of a send precedes the receive of the message, by its name
// (docs/decisions/0047). Other records are tied to their node only.
// `come_again`: begin_again() will be called.
std::unique_ptr<OrderRules> record_rules(std::uint16_t nodes, bool come_again = false);

// True when one of the lost records may have been an end of a message.
bool may_hold_ends(const trace_record::LossRange& loss);

}  // namespace tmon_order
