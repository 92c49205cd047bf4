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
    on_caller([this, type, mask, most] {
        Api& api = seat_.api();
        listed_.clear();
        count_ = 0;
        if (most > 0) {
            listed_ = trollius_os::getnodes(api, type, mask);
            count_ = static_cast<std::uint32_t>(listed_.size());
        } else {
            count_ = trollius_os::getntype(api, type, mask);
        }
        api.settle();
    });
    for (std::size_t i = 0; i < listed_.size() && i < static_cast<std::size_t>(most); ++i) nodes[i] = listed_[i].value();
    return static_cast<int>(count_);
}

int NodeProcess::route_entry(int node, rent* entry) {
    if (entry != nullptr) require("getrent", "an entry", entry, sizeof *entry, true);
    const auto about = node_at(node);
    if (!about) return -EBADNODE;
    to_ = *about;
    on_caller([this] {
        kind_ = trollius_os::getrent(seat_.api(), to_);
        seat_.api().settle();
    });
    if (kind_.error != 0) return -kind_.error;
    const int link = kind_.next.value() - trollius_os::events::datalink0.value();
    if (entry != nullptr)
        *entry = {.re_node = to_.value(), .re_link = link >= 0 && link < 4 ? link : -1, .re_type = kind_.type};
    return kind_.type;
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
    entries_.clear();
    if (which == TROLLIUS_RRSETRENTS) {
        const std::size_t count = require_length("rrsetrents", "a number of entries", value);
        require("rrsetrents", "entries", entries, count * sizeof *entries, false);
        for (std::size_t i = 0; i < count; ++i)
            entries_.push_back(
                {.node = entry_node(entries[i].re_node), .link = entries[i].re_link, .type = entries[i].re_type});
    }
    const auto to = node_at(at);
    if (!to || (which == TROLLIUS_RREMRENT && (value < 0 || value > host()))) return -EBADNODE;
    to_ = *to;
    on_caller([this, which, value] {
        Api& api = seat_.api();
        if (which == TROLLIUS_RRSETRENTS) node_error_ = trollius_os::rrsetrents(api, to_, entries_);
        if (which == TROLLIUS_RREMRENT)
            node_error_ = trollius_os::rremrent(api, to_, NodeId(static_cast<NodeId::value_type>(value)));
        if (which == TROLLIUS_RRSETSMART) node_error_ = trollius_os::rrsetsmart(api, to_, value != 0);
        api.settle();
    });
    return -node_error_;
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
    to_ = *to;
    on_caller([this, which, address, bytes] {
        Api& api = seat_.api();
        if (which == TROLLIUS_RMALLOC) {
            const auto block = trollius_os::rmalloc(api, to_, static_cast<std::uint32_t>(bytes));
            node_error_ = block.error;
            count_ = block.address;
        }
        if (which == TROLLIUS_RFREE) node_error_ = trollius_os::rfree(api, to_, address);
        if (which == TROLLIUS_RMREAD) node_error_ = trollius_os::rmread(api, to_, address, body_);
        if (which == TROLLIUS_RMWRITE) node_error_ = trollius_os::rmwrite(api, to_, address, body_);
        api.settle();
    });
    if (node_error_ == 0 && which == TROLLIUS_RMALLOC) std::memcpy(body, &count_, sizeof count_);
    if (node_error_ == 0 && reads) give_body(body);
    if (reads || writes) finish_call(trollius_os::Outcome::Done);
    return -node_error_;
}

int NodeProcess::trace_call(int which, int at, int list, int pid, void* body, int length) {
    const bool stores = which == TROLLIUS_RTRSTORE, gets = which == TROLLIUS_RTRGET;
    if (stores || gets) take_body(stores ? "rtrstore" : "rtrget", "a buffer", "a length", body, length, gets, true);
    const auto to = node_at(at);
    const auto owner = which == TROLLIUS_RTRUDIE ? node_at(list) : to;
    if (!to || !owner) return -EBADNODE;
    to_ = *to;
    on_caller([this, which, list, pid, whose = *owner] {
        Api& api = seat_.api();
        const vocabulary::ProcessId id(static_cast<std::uint32_t>(pid));
        traces_ = {};
        if (which == TROLLIUS_RTRSTORE) traces_ = trollius_os::rtrstore(api, to_, list, body_);
        if (which == TROLLIUS_RTRGET) trace_ = trollius_os::rtrget(api, to_, list);
        if (which == TROLLIUS_RTRFORGET) traces_ = trollius_os::rtrforget(api, to_, list);
        if (which == TROLLIUS_RTRSWEEP) traces_ = trollius_os::rtrsweep(api, to_);
        if (which == TROLLIUS_RTRUDIE) traces_ = trollius_os::rtrudie(api, to_, whose, id);
        if (which == TROLLIUS_RTRWIPE) traces_ = trollius_os::rtrwipe(api, to_, list);
        api.settle();
    });
    if (gets) {
        traces_.count = static_cast<std::uint32_t>(trace_.size());
        const std::size_t fits = std::min(trace_.size(), body_.size());
        if (fits > 0) std::memcpy(body, trace_.data(), fits);
        Bytes().swap(trace_);
    }
    if (stores || gets) finish_call(trollius_os::Outcome::Done);
    return traces_.error != 0 ? -traces_.error : static_cast<int>(traces_.count);
}

}  // namespace node_programs
