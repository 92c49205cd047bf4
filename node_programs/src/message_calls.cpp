// The calls with one nmsg: datalink, network, transport.
#include <algorithm>

#include "../support/trollius_calls.h"
#include "node_process.hpp"

namespace node_programs {

using trollius_os::Outcome;
using vocabulary::EventNo;
using vocabulary::NodeId;

namespace {

struct MessageCall {
    const char* name;
    bool sends = false, receives = false, bodiless = false;
    const char* try_name = nullptr;  // of the call that does not wait
};

// In the order of trollius_message_call.
constexpr MessageCall calls[] = {{.name = "dsend", .sends = true, .try_name = "dtry_send"},
                                 {.name = "drecv", .receives = true, .try_name = "dtry_recv"},
                                 {.name = "nsend", .sends = true, .try_name = "ntry_send"},
                                 {.name = "nrecv", .receives = true, .try_name = "ntry_recv"},
                                 {.name = "tsend", .sends = true},
                                 {.name = "trecv", .receives = true},
                                 {.name = "nprobe", .receives = true, .bodiless = true},
                                 {.name = "getroute", .sends = true, .bodiless = true}};

}  // namespace

void NodeProcess::take_header(const nmsg& from, NodeId node) {
    call_.message = {
        .datalink_event = EventNo(from.nh_dl_event), .node = node, .event = EventNo(from.nh_event), .type = from.nh_type};
    if ((from.nh_flags & NOBUF) != 0) call_.message.flags = trollius_os::flags::no_buffer;
    if ((from.nh_flags & NREEL) != 0) call_.message.flags |= trollius_os::flags::numbered;
    if ((from.nh_flags & APPLDATA) != 0) call_.message.flags |= trollius_os::flags::of(trollius_os::accounts::application);
    std::copy(std::begin(from.nh_data), std::end(from.nh_data), call_.message.data.begin());
}

// On the caller's stack.
Outcome NodeProcess::make(int which, bool wait) {
    trollius_os::Api& api = seat_.api();
    switch (which) {
        case TROLLIUS_DSEND:
            return api.dsend(call_.message, wait);
        case TROLLIUS_DRECV:
            return api.krecv(call_.message, wait);
        case TROLLIUS_NSEND:
            return wait ? api.nsend(call_.message) : api.ntry_send(call_.message);
        case TROLLIUS_NRECV:
            return wait ? api.nrecv(call_.message) : api.ntry_recv(call_.message);
        case TROLLIUS_TSEND:
            return api.tsend(call_.message);
        case TROLLIUS_TRECV:
            return api.trecv(call_.message);
        case TROLLIUS_GETROUTE:
            call_.message.datalink_event = call_.message.node == node() ? call_.message.event : api.route(call_.message.node);
            return Outcome::Done;
        default:
            call_.probed = api.nprobe(call_.message.event, call_.message.type);
            return Outcome::Done;
    }
}

int NodeProcess::message_call(int which, nmsg* message, int flags) {
    const MessageCall& call = calls[which];
    const char* const name = (flags & KTRY) != 0 ? call.try_name : call.name;
    require(name, "a message", message, sizeof *message, call.receives || call.bodiless);
    const bool to_cast =
        which == TROLLIUS_NSEND && message->nh_node >= trollius_os::first_cast && message->nh_node <= UINT16_MAX;
    const auto to = to_cast      ? NodeId(static_cast<NodeId::value_type>(message->nh_node))
                    : call.sends ? node_at(message->nh_node)
                                 : node();
    if (!to) return -EBADNODE;
    take_header(*message, *to);
    const auto most = static_cast<int>(seat_.api().kernel().costs().most_packet);
    if (which == TROLLIUS_DSEND && message->nh_length > most) return -EMSGLEN;
    if (!call.bodiless)
        take_body(name, "nh_msg", "nh_length", message->nh_msg, message->nh_length, call.receives,
                  *to != node() && (message->nh_flags & ANYDATA) == 0);
    const bool wait = ((message->nh_flags | flags) & KTRY) == 0;
    on_caller([this, which, wait] {
        call_.outcome = make(which, wait);
        seat_.api().settle();
        take_signals();  // none has come to a call that asks a daemon
    });
    if (which == TROLLIUS_GETROUTE) message->nh_dl_event = call_.message.datalink_event.value();
    if (which == TROLLIUS_NPROBE) {
        if (!call_.probed) return 0;
        message->nh_type = call_.probed->type;
        message->nh_length = static_cast<int>(call_.probed->length);
        return 1;
    }
    if (call.receives && call_.outcome == Outcome::Done) {
        message->nh_length = static_cast<int>(give_body(message->nh_msg));
        message->nh_type = call_.message.type;
        std::copy(call_.message.data.begin(), call_.message.data.end(), std::begin(message->nh_data));
    }
    return finish_call(call_.outcome);
}

}  // namespace node_programs
