// router knows the nodes of the network: for each the link by which a message for it leaves, and its type. It answers processes
// of its own node only. Orders of other nodes come through a helper, route_orders, which begins with the first.
//
// A router is smart or dumb. A dumb one has no table, or is told to wait for a new one. Whoever asks it waits until it is
// smart. The process bufferd and the link inputs do not wait. The order that makes it smart may come through them, so they get
// the answer of the table as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <trollius_os/error_numbers.hpp>
#include <trollius_os/services/request.hpp>
#include <trollius_os/services/route_table.hpp>

namespace trollius_os {

struct NodeServices;

// The type of a node, bit by bit (LAM 7.1.4). Jones: a neighbour of the node that is asked; boot: it was booted from there.
namespace node_types {
inline constexpr std::int32_t itb = 1, cast = 2, waste = 4, disk = 8, tube = 0x10, jones = 0x20, boot = 0x40, me = 0x80,
                              origin = 0x100;
}

namespace services {

// The router's knowledge beside the links. Null: every node has type 0.
struct RouterState {
    std::function<std::int32_t(NodeId)> type_at_start = {};
    std::map<NodeId, std::optional<std::int32_t>> changed = {};  // types set since; empty: the entry is removed
    bool smart = true;
};

enum class RouterCall : std::int32_t {
    Route = 0,
    Type = 1,
    Count = 2,
    List = 3,
    AwaitSmart = 4,
    SetEntries = 5,
    Remove = 6,
    SetSmart = 7
};
constexpr bool is_router_order(RouterCall call) {
    return call >= RouterCall::SetEntries && call <= RouterCall::SetSmart;
}

// `node`: for Route, Type, Remove. `type` and `mask`: Count and List take the nodes whose type under the mask is `type`.
struct RouteQuestion {
    NodeWord node{};
    vocabulary::ProcessId asker{};
    RouterCall call = RouterCall::Route;
    std::int32_t type = 0;  // SetSmart: 0 for dumb
    std::int32_t mask = 0;
    std::uint32_t first = 0;   // List: number of the first node to list
    std::int32_t at_once = 0;  // 1: does not wait for a smart router
    constexpr bool sound() const { return node.fits() && call >= RouterCall::Route && call <= RouterCall::SetSmart; }
};
static_assert(sizeof(RouteQuestion) == 28);

// Body, for List: a NodeWord each.
struct RouteAnswer {
    EventNo next{};  // the output of a link, or `nowhere`
    std::int32_t type = 0;
    std::uint32_t count = 0;  // Count, List: of all nodes that match
    ErrorNumber error = 0;
};
static_assert(sizeof(RouteAnswer) == 16);

// An entry as SetEntries has it in its body.
struct RouteEntry {
    NodeWord node{};
    std::int32_t link = -1;  // -1: no way; so for the node itself
    std::int32_t type = 0;
};
static_assert(sizeof(RouteEntry) == 12 && std::has_unique_object_representations_v<RouteEntry>);

// An order of any node: SetEntries, Remove or SetSmart.
struct RouterOrder {
    RouterCall call = RouterCall::SetEntries;
    Caller caller{};
    NodeWord node{};
    std::int32_t smart = 0;
    constexpr bool sound() const {
        return is_router_order(call) && node.fits() && caller.node.fits() && caller.reply.value() < 0 &&
               !is_internal(caller.reply);
    }
};
static_assert(sizeof(RouterOrder) == 20);

struct RouterOrderAnswer {
    ErrorNumber error = 0;
};
static_assert(sizeof(RouterOrderAnswer) == 4);

Task<> router(Calls& calls, NodeServices& services);  // the process; never returns
Task<> route_orders(Calls& calls);                    // likewise

// Asks the router of the caller's node; two rendez-vous. `asker` is filled in. `body`: the entries of SetEntries. `room` takes
// the answer's body.
Task<RouteAnswer> ask_router(Calls& calls, RouteQuestion question, std::span<std::byte> body = {},
                             std::vector<std::byte>* room = nullptr);

}  // namespace services

// Asks the router of the caller's node; costs two rendez-vous.
Task<EventNo> ask_router(Calls& calls, NodeId node);

// The calls below ask the router of the caller's node, at two rendez-vous a question, and wait while it is dumb.
struct NodeKind {
    ErrorNumber error = 0;  // errors::bad_node: the router does not know that node
    EventNo next{};         // `nowhere`: no way, or the caller's own node
    std::int32_t type = 0;  // node_types
};
NodeKind getrent(Api& api, NodeId node);
std::uint32_t getntype(Api& api, std::int32_t type, std::int32_t mask);        // number of nodes: (their type & mask) == type
std::vector<NodeId> getnodes(Api& api, std::int32_t type, std::int32_t mask);  // by number; a question for each packet of ids
void getsmart(Api& api);                                                       // returns when the router is smart

// Orders to the router of any node. They block until it has answered, without a time-out. A dumb router with no way to the
// caller's node obeys, and its answer is lost.
// Sets entries, all or none. For errors::no_route_descriptors the table has no such node. For errors::bad_link there is no
// such link at that node; errors::bad_node: a link for the node itself. More entries than a packet holds go as several orders.
ErrorNumber rrsetrents(Api& api, NodeId at, std::span<const services::RouteEntry> entries);
ErrorNumber rremrent(Api& api, NodeId at, NodeId node);  // errors::bad_node: there is no such entry
ErrorNumber rrsetsmart(Api& api, NodeId at, bool smart);

}  // namespace trollius_os
