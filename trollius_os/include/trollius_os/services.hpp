// The system processes of a node, each an ordinary process with kernel messages: router, bufferd with a worker a link, link
// processes, kenyad, flatd, echod. The host also has loadd and a file server. A call of start_services() starts them from a
// plain list.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trollius_os/api.hpp>
#include <trollius_os/kernel.hpp>
#include <trollius_os/programs.hpp>

namespace trollius_os {

// Next link towards each node; empty for the node itself and where no way leads. Index: NodeId, the host last.
using RouteTable = std::vector<std::optional<LinkNo>>;

// Requests to bufferd, in pouch word 0 of a message of class control.
enum class BufferRequest : std::int32_t { Receive = 1 };

// Kernel priorities of the system processes (LAM 7.1.4): they order which is matched first.
namespace kernel_priority {
inline constexpr int router = 1400, bufferd = 1100, command = 1095, datalink_out = 1090, datalink_in = 1087, service = 1085;
}

struct NodeServices {
    RouteTable routes;  // the router's; changes when the host sends another
    const ProgramRegistry* programs = nullptr;
    NodeId host;
    // Host only: text that programs print there arrives here.
    std::function<void(NodeId from, const std::string& text)> print;
    // Host only: files that programs write there, and their input stream: fills the room, returns how much, 0 at the end.
    std::function<void(const std::string& name, std::vector<std::byte> content)> save = {};
    std::function<std::size_t(std::span<std::byte> room)> read = {};
};

// `services` must outlive the kernel. False when the node has too little memory for them.
bool start_services(Kernel& kernel, NodeServices& services);

// Half of a buffered receive: tells bufferd that the caller waits for a message of this event and type. A process asks as
// number `asker.request`. A link's worker, which gets nothing from any other sender, asks as number 0.
void request_from_buffers(Api& api, EventNo event, std::int32_t type, const BufferAsker& asker);

// Client sides, from any node.
// Loads a program into `node` and starts it there: loadd ships the module to flatd, kenyad creates the process. Returns the
// pid, or nothing when the node has no memory for it.
std::optional<vocabulary::ProcessId> loadgo(Api& api, NodeId node, NodeId host, const std::string& program,
                                            std::int32_t argument);
// Round trip of one echo of `bytes`. Returns the true time it took.
SimTime echo(Api& api, NodeId node, std::uint32_t bytes);
// Prints on the host's standard output.
void print(Api& api, NodeId host, const std::string& text);
// Writes a whole file on the host: a message that opens it, one for each packet of content, one that closes it.
void save_file(Api& api, NodeId host, const std::string& name, std::vector<std::byte> content);
// Next bytes of the host's input stream, at most a packet; 0 at its end.
std::size_t read_input(Api& api, NodeId host, std::span<std::byte> room);

// Sends a node the route table to use from then on, also for its processes' cached routes. The node's kenyad answers to
// `reply` with the node in pouch word 0 and `tag` in word 1. Messages already stored for a link leave by that link.
void send_routes(Api& api, NodeId node, const RouteTable& routes, EventNo reply, std::int32_t tag);

// One line of the `state` command.
struct ProcessLine {
    std::uint32_t index = 0;
    vocabulary::ProcessId pid;
    std::int32_t priority = 0, state = 0;  // ProcessState
    EventNo event;
    std::int32_t type = 0;
    std::string name;
};
// `dropped`, when given, becomes the node's number of dropped messages, which the answer carries.
std::vector<ProcessLine> state(Api& api, NodeId node, std::uint32_t* dropped = nullptr);

namespace services {  // the processes themselves; one file each
void router(Api& api, const RouteTable& routes);
void bufferd(Api& api);
void buffer_worker(Api& api, LinkNo link);
void link_out(Api& api, LinkNo link);
void link_in(Api& api, LinkNo link);
void kenyad(Api& api, NodeServices& services);
void flatd(Api& api);
void echod(Api& api);
void loadd(Api& api, const NodeServices& services);
void filed(Api& api, const NodeServices& services);
}  // namespace services

}  // namespace trollius_os
