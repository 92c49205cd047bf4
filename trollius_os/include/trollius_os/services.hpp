// The system processes of a node, each an ordinary process with kernel messages: router, bufferd with a worker a link, link
// processes, kenyad, flatd, echod. The host also has loadd and a file server. Each has a header in services/: its messages, the
// client's call, its process. start_services() starts them all.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trollius_os/kernel.hpp>
#include <trollius_os/programs.hpp>
#include <trollius_os/services/bootd.hpp>
#include <trollius_os/services/bufferd.hpp>
#include <trollius_os/services/castd.hpp>
#include <trollius_os/services/datalink.hpp>
#include <trollius_os/services/echod.hpp>
#include <trollius_os/services/file_store.hpp>
#include <trollius_os/services/filed.hpp>
#include <trollius_os/services/flatd.hpp>
#include <trollius_os/services/kenyad.hpp>
#include <trollius_os/services/loadd.hpp>
#include <trollius_os/services/mallocd.hpp>
#include <trollius_os/services/router.hpp>
#include <trollius_os/services/traced.hpp>

namespace trollius_os {

// Kernel priorities of the system processes (LAM 7.1.4): the highest is matched first.
namespace kernel_priority {
inline constexpr int router = 1400, bufferd = 1100, command = 1095, datalink_out = 1090, datalink_in = 1087, service = 1085;
}

struct NodeServices {
    RouteTable routes;  // the router's table; the host may replace it
    services::RouterState router = {};
    const ProgramRegistry* programs = nullptr;
    services::FlatTable blocks = {};  // flatd's table
    NodeId host;
    // Host only: receives the text that programs print.
    std::function<void(NodeId from, const std::string& text)> print;
    // Host only: stores the files that programs write; reads their input stream into the room, returns the bytes read, 0 at the
    // end.
    std::function<void(const std::string& name, std::vector<std::byte> content)> save = {};
    std::function<std::size_t(std::span<std::byte> room)> read = {};
    // Host only: the files that programs may use. It outlives the kernel. Null: every request for a file fails with EACCES.
    FileStore* files = nullptr;
    // Route set 2, as the machine was at its start. It has the neighbour on the way of casts to each node and to the host.
    // castd asks once, when it begins.
    std::function<std::vector<std::optional<NodeId>>()> cast_routes = {};
    std::optional<services::BootTask> boot = {};  // of a node that bootd has booted: bootd starts there, too
    // Host only: receives what programs write on descriptor 2. Empty: `print` does.
    std::function<void(NodeId from, const std::string& text)> print_error = {};
};

// `services` must outlive the kernel. False when the node has too little memory for them.
bool start_services(Kernel& kernel, NodeServices& services);

}  // namespace trollius_os
