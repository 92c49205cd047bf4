// Builds the nodes of an explanation.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <tmon_flowback/explanation.hpp>

#include "acts.hpp"

namespace tmon_flowback {

class Explainer {
public:
    explicit Explainer(RecordedRun& run) : run_(run), origins_(run) {}

    // A place of memory before an event.
    Node of_place(const EventId& before, const Meant& place, std::optional<std::vector<std::byte>> value, unsigned depth);
    // The node of an event, with the events that it depends on below it.
    Node of_event(const EventId& event, unsigned depth);

private:
    using Bytes = std::vector<std::byte>;

    void put_origin(Node& node, const Origin& origin, const Meant& place, const std::optional<Bytes>& value, unsigned depth);
    void put_initial(Node& node, const Origin& origin, const std::optional<Bytes>& value);
    std::string line_of(const Origin& origin) const;
    void put_received(Node& node, const Origin& origin, const std::optional<Bytes>& value, unsigned depth);
    void put_moved(Node& node, const Origin& origin, const Meant& place, const std::optional<Bytes>& value, unsigned depth);
    void take_value_sent(Node& node, const Meant& place, const std::vector<DataSource>& sources) const;
    void add_source(Node& node, const DataSource& source, const std::optional<Bytes>& value, unsigned depth);
    void put_event(Node& node, const EventId& event) const;
    void add_dependences(Node& node, const EventId& event, unsigned depth);
    void add_source_of_copy(Node& node, const EventId& copy, const Meant& place, unsigned depth);
    std::optional<Node> of_operand(const EventId& event, const Operand& operand, unsigned depth);
    Node of_load(const EventId& load, unsigned depth);
    Node of_call(const EventId& call, unsigned depth);
    Node of_parameter(const EventId& event, int parameter, unsigned depth);
    std::optional<EventId> decision_about(const EventId& event) const;
    std::optional<EventId> branch_behind(const EventId& event) const;
    std::optional<Node> of_decision(const EventId& event, unsigned depth);
    std::optional<EventId> latest(const EventId& before, std::uint32_t site) const;
    bool sends_same(const EventId& call, const LoggedMessage& sent, const Origin& origin, const Bytes& value);
    void add_copies_elsewhere(Node& node, const Origin& origin);

    RecordedRun& run_;
    Origins origins_;
    static constexpr unsigned most_hops = 100;  // copies and messages on one way; each is a level of this program's own stack
    unsigned hops_ = 0;                         // copies and messages from the question to here
    std::map<EventId, unsigned> shown_;         // events whose dependences are in the answer, with the depth that they had
};

void weaken(Node& node, Certainty certainty);

}  // namespace tmon_flowback
