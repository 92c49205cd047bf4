// The calls that ask router, mallocd and traced.
#include <algorithm>
#include <cstring>

#include "../support/trollius_calls.h"
#include "node_process.hpp"

namespace node_programs {

using trollius_os::Api;
using vocabulary::NodeId;

// The router of the own node: how many nodes there are of a type, and which.
int NodeProcess::nodes_of_type(int type, int mask, int* nodes, int most) {
    require("getnodes", "a table", nodes, require_length("getnodes", "a size", most) * sizeof *nodes, true);
    talk([this, type, mask, most](Api& api) {
        call_.list.clear();
        call_.count = 0;
        if (most > 0) {
            call_.list = trollius_os::getnodes(api, type, mask);
            call_.count = static_cast<std::uint32_t>(call_.list.size());
        } else {
            call_.count = trollius_os::getntype(api, type, mask);
        }
    });
    for (std::size_t i = 0; i < call_.list.size() && i < static_cast<std::size_t>(most); ++i) nodes[i] = call_.list[i].value();
    return static_cast<int>(call_.count);
}

int NodeProcess::route_entry(int node, rent* entry) {
    if (entry != nullptr) require("getrent", "an entry", entry, sizeof *entry, true);
    const auto about = node_at(node);
    if (!about) return -EBADNODE;
    call_.to = *about;
    talk([this](Api& api) { call_.kind = trollius_os::getrent(api, call_.to); });
    if (call_.kind.error != 0) return -call_.kind.error;
    const int link = call_.kind.next.value() - trollius_os::events::datalink0.value();
    if (entry != nullptr)
        *entry = {.re_node = call_.to.value(), .re_link = link >= 0 && link < 4 ? link : -1, .re_type = call_.kind.type};
    return call_.kind.type;
}

// Without a node of its own: waits for a smart router.
int NodeProcess::router_order(int which, int at, const rent* entries, int value) {
    if (which == TROLLIUS_GETSMART) {
        on_caller([this] {
            trollius_os::getsmart(seat_.api());
            seat_.api().settle();
        });
        return 0;
    }
    call_.entries.clear();
    if (which == TROLLIUS_RRSETRENTS) {
        const std::size_t count = require_length("rrsetrents", "a number of entries", value);
        require("rrsetrents", "entries", entries, count * sizeof *entries, false);
        for (std::size_t i = 0; i < count; ++i)
            call_.entries.push_back(
                {.node = entry_node(entries[i].re_node), .link = entries[i].re_link, .type = entries[i].re_type});
    }
    const auto to = node_at(at);
    if (!to || (which == TROLLIUS_RREMRENT && (value < 0 || value > host()))) return -EBADNODE;
    call_.to = *to;
    talk([this, which, value](Api& api) {
        if (which == TROLLIUS_RRSETRENTS) call_.number = trollius_os::rrsetrents(api, call_.to, call_.entries);
        if (which == TROLLIUS_RREMRENT)
            call_.number = trollius_os::rremrent(api, call_.to, NodeId(static_cast<NodeId::value_type>(value)));
        if (which == TROLLIUS_RRSETSMART) call_.number = trollius_os::rrsetsmart(api, call_.to, value != 0);
    });
    return -call_.number;
}

// The router refuses a number that is no node's.
trollius_os::services::NodeWord NodeProcess::entry_node(int number) {
    trollius_os::services::NodeWord word;
    word.word = number;
    return word;
}

int NodeProcess::memory_call(int which, int at, unsigned address, void* body, int length) {
    constexpr const char* names[] = {"rmalloc", "rfree", "rmread", "rmwrite"};  // in the order of trollius_memory_call
    const std::size_t bytes = require_length(names[which], "a length", length);
    const bool reads = which == TROLLIUS_RMREAD, writes = which == TROLLIUS_RMWRITE;
    if (which == TROLLIUS_RMALLOC) require("rmalloc", "an address", body, sizeof(unsigned), true);
    if (reads || writes) take_body(names[which], "a buffer", "a length", body, length, reads, true);
    const auto to = node_at(at);
    if (!to) return -EBADNODE;
    call_.to = *to;
    talk([this, which, address, bytes](Api& api) {
        if (which == TROLLIUS_RMALLOC) {
            const auto block = trollius_os::rmalloc(api, call_.to, static_cast<std::uint32_t>(bytes));
            call_.number = block.error;
            call_.count = block.address;
        }
        if (which == TROLLIUS_RFREE) call_.number = trollius_os::rfree(api, call_.to, address);
        if (which == TROLLIUS_RMREAD) call_.number = trollius_os::rmread(api, call_.to, address, call_.body);
        if (which == TROLLIUS_RMWRITE) call_.number = trollius_os::rmwrite(api, call_.to, address, call_.body);
    });
    if (call_.number == 0 && which == TROLLIUS_RMALLOC) std::memcpy(body, &call_.count, sizeof call_.count);
    if (call_.number == 0 && reads) give_body(body);
    if (reads || writes) finish_call(trollius_os::Outcome::Done);
    return -call_.number;
}

int NodeProcess::trace_call(int which, int at, int list, int pid, void* body, int length) {
    const bool stores = which == TROLLIUS_RTRSTORE, gets = which == TROLLIUS_RTRGET;
    if (stores || gets) take_body(stores ? "rtrstore" : "rtrget", "a buffer", "a length", body, length, gets, true);
    const auto to = node_at(at);
    const auto owner = which == TROLLIUS_RTRUDIE ? node_at(list) : to;
    if (!to || !owner) return -EBADNODE;
    call_.to = *to;
    talk([this, which, list, pid, whose = *owner](Api& api) {
        const vocabulary::ProcessId id(static_cast<std::uint32_t>(pid));
        call_.traces = {};
        if (which == TROLLIUS_RTRSTORE) call_.traces = trollius_os::rtrstore(api, call_.to, list, call_.body);
        if (which == TROLLIUS_RTRGET) call_.trace = trollius_os::rtrget(api, call_.to, list);
        if (which == TROLLIUS_RTRFORGET) call_.traces = trollius_os::rtrforget(api, call_.to, list);
        if (which == TROLLIUS_RTRSWEEP) call_.traces = trollius_os::rtrsweep(api, call_.to);
        if (which == TROLLIUS_RTRUDIE) call_.traces = trollius_os::rtrudie(api, call_.to, whose, id);
        if (which == TROLLIUS_RTRWIPE) call_.traces = trollius_os::rtrwipe(api, call_.to, list);
    });
    if (gets) {
        call_.traces.count = static_cast<std::uint32_t>(call_.trace.size());
        const std::size_t fits = std::min(call_.trace.size(), call_.body.size());
        if (fits > 0) std::memcpy(body, call_.trace.data(), fits);
        Bytes().swap(call_.trace);
    }
    if (stores || gets) finish_call(trollius_os::Outcome::Done);
    return call_.traces.error != 0 ? -call_.traces.error : static_cast<int>(call_.traces.count);
}

}  // namespace node_programs
