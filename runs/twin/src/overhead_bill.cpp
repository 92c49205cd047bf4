#include <twin/overhead_bill.hpp>

#include <map>
#include <utility>

#include <flowback_unload/log_unloading.hpp>
#include <instrumentation/accounts.hpp>
#include <trace_record/event_class.hpp>
#include <vocabulary/contract.hpp>

namespace twin {
namespace {

using trace_record::EventKind;
using vocabulary::SimTime;

namespace accounts = instrumentation::accounts;
namespace logs = flowback_unload::accounts;

struct Name {
    int order;
    std::string text;
    bool operator<(const Name& other) const { return std::pair(order, text) < std::pair(other.order, other.text); }
};
using Naming = Name (*)(const PathShare&, std::uint16_t host);

bool of_monitor(const PathShare& share) {
    return vocabulary::is_tool(share.cause);
}

BillWay way_of(PathKind kind) {
    switch (kind) {
        case PathKind::Use:
        case PathKind::Switch:
            return BillWay::Processor;
        case PathKind::Transfer:
        case PathKind::SlowLink:
            return BillWay::Link;
        case PathKind::Memory:
            return BillWay::Memory;
        default:
            return BillWay::Waiting;
    }
}

Name program_part(const PathShare& share) {
    switch (share.kind) {
        case PathKind::Use:
            return share.what == trollius_os::computation ? Name{20, "computation"} : Name{21, "runtime and kernel"};
        case PathKind::Switch:
            return {22, "process switches"};
        case PathKind::Memory:
            return {23, "memory cycles for links"};
        case PathKind::Transfer:
        case PathKind::SlowLink:
            return {24, "communication: on links"};
        case PathKind::Link:
            return {25, "waiting for a link"};
        case PathKind::Processor:
            return {26, "waiting for the processor"};
        case PathKind::Timer:
            return {27, "waiting for a time"};
        case PathKind::Event:
            return {28, "waiting for an event"};
        case PathKind::Unknown:
            break;
    }
    return {29, "unknown"};
}

bool is_at_a_link(PathKind kind) {
    return kind == PathKind::Transfer || kind == PathKind::SlowLink || kind == PathKind::Link;
}

Name by_cause(const PathShare& share, std::uint16_t) {
    if (!of_monitor(share)) return program_part(share);
    if (share.cause == logs::forwarding) return {12, "forwarding of other nodes' logs"};
    if (share.cause == logs::log) {
        if (share.kind == PathKind::Memory) return {13, "memory cycles for links with logs"};
        return is_at_a_link(share.kind) ? Name{11, "messages with logs"} : Name{10, "logs for flowback"};
    }
    const bool for_messages = share.cause == accounts::trace_message || share.cause == accounts::forwarding;
    if (share.kind == PathKind::Memory && for_messages) return {9, "memory cycles for its links"};
    if (share.cause == accounts::probe) return {1, "probe"};
    if (share.cause == accounts::meter) return {2, "meter"};
    if (share.cause == accounts::manager) return {3, "buffer manager"};
    if (share.cause == accounts::backend) return {4, "back end"};
    if (share.cause == accounts::interrupt) return {5, "interrupts"};
    if (share.cause == accounts::trace_message) return {6, "trace messages"};
    return {7, "forwarding of other nodes' traces"};
}

bool is_unknown(const PathShare& share) {
    return share.kind == PathKind::Unknown && !vocabulary::is_tool(share.cause);
}

std::string node_name(std::uint16_t node, std::uint16_t host) {
    return node == host ? "host" : "n" + std::to_string(node);
}

Name by_node(const PathShare& share, std::uint16_t host) {
    if (is_unknown(share)) return {1 << 20, "unknown"};
    return {share.node, node_name(share.node, host)};
}

Name by_link(const PathShare& share, std::uint16_t host) {
    if (share.link == no_link) return {1 << 20, "not at a link"};
    return {share.node * 4 + share.link, node_name(share.node, host) + "." + std::to_string(share.link)};
}

EventKind kind_of(const PathShare& share) {
    return static_cast<EventKind>(share.what & 0x7f);
}

std::string probe_name(const PathShare& share) {
    const std::string item = (share.what & 0x80) != 0 ? "a result" : "a task";
    switch (kind_of(share)) {
        case EventKind::Send:
            return "send of " + item;
        case EventKind::Receive:
            return "receive of " + item;
        case EventKind::SendCall:
            return "call of a send";
        case EventKind::MessageSend:
            return "send of a message";
        case EventKind::MessageReceive:
            return "receive of a message";
        case EventKind::ReceiveCall:
            return "call of a receive";
        case EventKind::Partner:
            return "sender of a message";
        case EventKind::Member:
            return "member of a group";
        case EventKind::CollectiveBegin:
            return "begin of a collective";
        case EventKind::CollectiveEnd:
            return "end of a collective";
        case EventKind::ProcessStart:
            return "start of a process";
        case EventKind::ProcessEnd:
            return "end of a process";
        case EventKind::NodeUsage:
            return "node usage";
        case EventKind::Synchronise:
            return "clock at an interrupt";
        case EventKind::User:
            return "user event";
    }
    return "event " + std::to_string(share.what);
}

Name by_probe(const PathShare& share, std::uint16_t) {
    if (!of_monitor(share)) return {1 << 20, "the program"};
    if (share.what == 0) return {1 << 19, "the monitor, for no event alone"};
    return {share.what, probe_name(share)};
}

Name by_class(const PathShare& share, std::uint16_t host) {
    if (!of_monitor(share) || share.what == 0) return by_probe(share, host);
    const trace_record::EventClass its = trace_record::class_of(kind_of(share));
    return {static_cast<int>(its), trace_record::class_name(its)};
}

struct By {
    BillBy by;
    const char *key, *title;
    Naming naming;
};
constexpr By tables[] = {{BillBy::Cause, "cause", "by cause", by_cause},
                         {BillBy::Node, "node", "by node", by_node},
                         {BillBy::Link, "link", "by link, of the sending node", by_link},
                         {BillBy::Probe, "probe", "by probe", by_probe},
                         {BillBy::Class, "class", "by event class", by_class}};

void check_sums(const BillTable& table, const Overhead& overhead) {
    SimTime monitored, twin;
    for (const BillLine& line : table.lines) {
        monitored += line.monitored;
        twin += line.twin;
    }
    EXPECTS(monitored == overhead.monitored.span && twin == overhead.twin.span, "overhead.bill.sums_to_the_spans");
}

// The parts of a monitor that every bill has, also where they are nothing.
void add_usual_causes(std::map<Name, BillLine>& lines) {
    for (const vocabulary::Account cause : {accounts::probe, accounts::meter, accounts::manager, accounts::backend,
                                            accounts::interrupt, accounts::trace_message, accounts::forwarding})
        lines[by_cause({.kind = PathKind::Use, .cause = cause, .time = {}}, 0)].monitors = true;
    lines[by_cause({.kind = PathKind::Memory, .cause = accounts::trace_message, .time = {}}, 0)].monitors = true;
}

}  // namespace

BillTable bill(const Overhead& overhead, BillBy by) {
    const By& chosen = tables[static_cast<std::size_t>(by)];
    BillTable table{chosen.key, chosen.title, {}};
    if (!overhead.has_time()) return table;
    std::map<Name, BillLine> lines;
    if (by == BillBy::Cause) add_usual_causes(lines);
    for (const PathShare& share : overhead.monitored.path) {
        BillLine& line = lines[chosen.naming(share, overhead.host)];
        line.monitored += share.time;
        line.ways[static_cast<std::size_t>(way_of(share.kind))] += share.time;
        if (of_monitor(share)) line.of_monitor += share.time;
        line.monitors = by == BillBy::Cause && of_monitor(share);
    }
    for (const PathShare& share : overhead.twin.path) {
        BillLine& line = lines[chosen.naming(share, overhead.host)];
        line.twin += share.time;
        if (of_monitor(share)) line.of_monitor -= share.time;
        line.monitors = by == BillBy::Cause && of_monitor(share);
    }
    for (auto& [name, line] : lines) {
        line.name = name.text;
        table.lines.push_back(line);
    }
    check_sums(table, overhead);
    return table;
}

std::vector<BillTable> bill(const Overhead& overhead) {
    std::vector<BillTable> all;
    for (const By& one : tables) all.push_back(bill(overhead, one.by));
    return all;
}

SimTime not_attributed(const Overhead& overhead) {
    SimTime rest = overhead.difference();
    for (const PathShare& share : overhead.monitored.path) {
        if (of_monitor(share)) rest -= share.time;
    }
    for (const PathShare& share : overhead.twin.path) {
        if (of_monitor(share)) rest += share.time;
    }
    return rest;
}

}  // namespace twin
