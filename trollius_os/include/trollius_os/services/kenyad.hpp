// kenyad creates processes, lists them, and receives the node's route table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trollius_os/services/request.hpp>
#include <trollius_os/services/router.hpp>

namespace trollius_os {

struct NodeServices;

// One line of the `state` command.
struct ProcessLine {
    std::uint32_t index = 0;
    vocabulary::ProcessId pid{};
    std::int32_t priority = 0, state = 0;  // ProcessState
    EventNo event;
    std::int32_t type = 0;
    std::string name;
};

namespace services {

enum class KenyadCall : std::int32_t { Create = 1, State = 2, Routes = 3 };

// Body: the program's name.
struct CreateRequest {
    KenyadCall call = KenyadCall::Create;
    Caller caller{};
    std::int32_t tag = 0;       // flatd's tag of the module
    std::int32_t argument = 0;  // passed to the program
    constexpr bool sound() const { return call == KenyadCall::Create; }
};
static_assert(sizeof(CreateRequest) == 20);

struct CreateAnswer {
    vocabulary::ProcessId pid{};  // 0: unknown program, or no memory for it
};
static_assert(sizeof(CreateAnswer) == 4);

struct StateRequest {
    KenyadCall call = KenyadCall::State;
    Caller caller{};
    constexpr bool sound() const { return call == KenyadCall::State; }
};
static_assert(sizeof(StateRequest) == 12);

// Body: a StateRecord for each process.
struct StateAnswer {
    std::uint32_t dropped = 0;  // messages dropped by the node so far
};
static_assert(sizeof(StateAnswer) == 4);

// Body: the route table, a byte a node.
struct RoutesRequest {
    KenyadCall call = KenyadCall::Routes;
    Caller caller{};
    std::int32_t tag = 0;
    constexpr bool sound() const { return call == KenyadCall::Routes; }
};
static_assert(sizeof(RoutesRequest) == 16);

struct RoutesAnswer {
    NodeWord node{};       // the answering node
    std::int32_t tag = 0;  // tag of the request
    constexpr bool sound() const { return node.fits(); }
};
static_assert(sizeof(RoutesAnswer) == 8);

// One process in the body of a StateAnswer. The name has a fixed width, like the printed column, and ends with a zero.
struct StateRecord {
    std::uint32_t index = 0;
    vocabulary::ProcessId pid{};
    std::int32_t priority = 0, state = 0;
    EventNo event{};
    std::int32_t type = 0;
    std::array<char, 28> name{};
};
static_assert(sizeof(StateRecord) == 52 && std::has_unique_object_representations_v<StateRecord>);

StateRecord encode_state(const ProcessLine& line);  // a long name is cut
// An incomplete record at the end is ignored.
std::vector<ProcessLine> decode_state(std::span<const std::byte> body);

// A byte a node: the link, or 0xff for none.
std::vector<std::byte> encode_routes(const RouteTable& routes);
// Empty if it is no table for `nodes` nodes. A byte that is no link reads as no link.
std::optional<RouteTable> decode_routes(std::span<const std::byte> body, std::size_t nodes);

Task<> kenyad(Calls& calls, NodeServices& services);  // the process; never returns

}  // namespace services

// Starts a program whose module flatd of `node` holds under `tag`. Empty: the node lacks memory for it.
std::optional<vocabulary::ProcessId> create_process(Api& api, NodeId node, const std::string& program, std::int32_t tag,
                                                    std::int32_t argument);
// The node's processes. `dropped`, if given, gets the number of messages that the node has dropped.
std::vector<ProcessLine> state(Api& api, NodeId node, std::uint32_t* dropped = nullptr);
// Sends a node its new route table; the node also empties the route caches of its processes. It does not wait: the node's
// kenyad sends a RoutesAnswer with `tag` to `reply`. Messages already stored for a link leave by that link.
void send_routes(Api& api, NodeId node, const RouteTable& routes, EventNo reply, std::int32_t tag);

}  // namespace trollius_os
