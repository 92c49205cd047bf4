// kenyad creates processes, ends them, lists them, tells who waits for their end, and receives the node's route table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trollius_os/programs.hpp>
#include <trollius_os/services/flatd.hpp>
#include <trollius_os/services/request.hpp>
#include <trollius_os/services/router.hpp>

namespace trollius_os {

struct NodeServices;

inline constexpr std::int32_t signal_die = static_cast<std::int32_t>(Signal::Die);
// Refusals: no such process; a system process; no such signal.
enum class Doomed : std::int32_t { Done = 0, NoProcess = 1, Service = 2, NoSignal = 3 };

// Refusals: the node does not know the program; it lacks memory; flatd has no such block; the module came damaged; the process
// table is full.
enum class CreateError : std::int32_t { None = 0, UnknownProgram = 1, NoMemory = 2, NoBlock = 3, Damaged = 4, TableFull = 5 };
struct Created {
    vocabulary::ProcessId pid{};
    CreateError error = CreateError::None;
    std::uint32_t index = 0;  // in the table of its node, as `state` prints it
    explicit operator bool() const { return error == CreateError::None; }
};

// The end of a process that was started with a wish to wait for it.
struct ChildEnd {
    NodeId node;
    vocabulary::ProcessId pid;
    std::int32_t status = 0;  // 0, or its exit status, when it returned; minus the signal that ended it
};

// One line of the `state` command.
struct ProcessLine {
    std::uint32_t index = 0;
    vocabulary::ProcessId pid{};
    std::int32_t priority = 0, state = 0;  // ProcessState
    EventNo event;
    std::int32_t type = 0;
    std::string name;
    SignalMask pending = 0;
    ProcessStatus status() const { return {static_cast<ProcessState>(state), priority, event, type, pending}; }
};

namespace services {

enum class KenyadCall : std::int32_t { Create = 1, State = 2, Routes = 3, Doom = 4, Ended = 5 };

// Runtime flags of a process (LAM 7.1.4): its creator waits for an exit notice.
inline constexpr std::int32_t rtf_wait = 0x10;

// Body: the program's name.
struct CreateRequest {
    KenyadCall call = KenyadCall::Create;
    Caller caller{};
    FlatTag module{};            // none: the program is on the node already
    std::int32_t arguments = 0;  // tag of a block that the caller's node has shipped; 0: there are none
    std::int32_t flags = 0;      // rtf_wait
    constexpr bool sound() const { return call == KenyadCall::Create; }
};
static_assert(sizeof(CreateRequest) == 28);

struct CreateAnswer {
    vocabulary::ProcessId pid{};
    CreateError error = CreateError::None;
    std::uint32_t index = 0;
};
static_assert(sizeof(CreateAnswer) == 12);

struct DoomRequest {
    KenyadCall call = KenyadCall::Doom;
    Caller caller{};
    vocabulary::ProcessId pid{};
    std::int32_t signal = signal_die;
    constexpr bool sound() const { return call == KenyadCall::Doom; }
};
static_assert(sizeof(DoomRequest) == 20);

struct DoomAnswer {
    Doomed outcome = Doomed::Done;
};
static_assert(sizeof(DoomAnswer) == 4);

// From a process of this node that has ended, if its creator waits. Its caller is that process itself. It gets no answer.
struct EndedRequest {
    KenyadCall call = KenyadCall::Ended;
    Caller caller{};
    vocabulary::ProcessId pid{};
    std::int32_t status = 0;
    constexpr bool sound() const {
        return call == KenyadCall::Ended && caller.reply == EventNo(-static_cast<std::int32_t>(pid.value()));
    }
};
static_assert(sizeof(EndedRequest) == 20);

// The exit notice, to notice_event() of the creator, with type 1.
struct ExitNotice {
    NodeWord node{};
    vocabulary::ProcessId pid{};
    std::int32_t status = 0;
    constexpr bool sound() const { return node.fits(); }
};
static_assert(sizeof(ExitNotice) == 12);
inline constexpr std::int32_t notice_type = 1;
// An event beside the creator's reply event, so that no notice is taken for an answer (LAM 7.1.4: bit 30 is cleared).
constexpr EventNo notice_event(EventNo reply) {
    return EventNo(static_cast<std::int32_t>(static_cast<std::uint32_t>(reply.value()) & 0xbfff'ffffu));
}

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
    std::int32_t priority = 0;
    std::uint16_t state = 0, pending = 0;  // ProcessState, SignalMask
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

// Starts a program on `node`. kenyad takes module and arguments from flatd. Their memory is free again when the process ends,
// or when kenyad refuses. With services::rtf_wait, wait_for_child() tells the end.
Created create_process(Api& api, NodeId node, const std::string& program, services::FlatTag module,
                       const Arguments& arguments = {}, std::int32_t flags = 0);
// Sends a signal to a process of any node. Die ends one that neither handles nor blocks it: it never runs again. Its module and
// stack are free, and the heap blocks that it has allocated. Memory that processes of a node share stays, such as the heap of a
// farm's program.
Doomed doom(Api& api, NodeId node, vocabulary::ProcessId pid, std::int32_t signal = signal_die);
// Waits for the end of any process that the caller started with services::rtf_wait. A crashed node sends no notice.
ChildEnd wait_for_child(Api& api);
// The node's processes; state_text(line.status()) is what the command prints. `dropped`, if given, gets the number of messages
// that the node has dropped.
std::vector<ProcessLine> state(Api& api, NodeId node, std::uint32_t* dropped = nullptr);
// Sends a node its new route table; the node also empties the route caches of its processes. It does not wait: the node's
// kenyad sends a RoutesAnswer with `tag` to `reply`. Messages already stored for a link leave by that link.
void send_routes(Api& api, NodeId node, const RouteTable& routes, EventNo reply, std::int32_t tag);

}  // namespace trollius_os
