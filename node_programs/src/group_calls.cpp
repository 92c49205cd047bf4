// Casts, reductions, and circuits.
#include <algorithm>
#include <cstring>

#include "../support/trollius_calls.h"
#include "node_process.hpp"

namespace node_programs {

using vocabulary::EventNo;
using vocabulary::NodeId;
using With = trollius_os::Conversation::With;

int NodeProcess::cast(const int* nodes, int count) {
    const std::size_t all = require_length("rcast", "a number of nodes", count);
    require("rcast", "a list", nodes, all * sizeof *nodes, false);
    call_.list.clear();
    for (std::size_t i = 0; i < all; ++i) {
        const auto one = node_at(nodes[i]);
        if (!one) return -EBADNODE;
        call_.list.push_back(*one);
    }
    talk([this](trollius_os::Api& api) { call_.cast = trollius_os::rcast(api, call_.list); }, With::Users);
    return call_.cast.error == 0 ? call_.cast.cast.value() : -call_.cast.error;
}

int NodeProcess::cast_nodes(int cast, int* nodes, int most) {
    require("rcask", "a table", nodes, require_length("rcask", "a size", most) * sizeof *nodes, true);
    if (cast < trollius_os::first_cast || cast > UINT16_MAX) return -EBADNODE;
    call_.to = NodeId(static_cast<NodeId::value_type>(cast));
    talk([this](trollius_os::Api& api) {
        trollius_os::CastNodes asked = trollius_os::rcask(api, call_.to);
        call_.number = asked.error;
        call_.list = std::move(asked.nodes);
    });
    if (call_.number != 0) return -call_.number;
    for (std::size_t i = 0; i < call_.list.size() && i < static_cast<std::size_t>(most); ++i) nodes[i] = call_.list[i].value();
    return static_cast<int>(call_.list.size());
}

int NodeProcess::combine(int cast, int operation, int kind, void* words, int count) {
    const std::size_t bytes = require_length("ncombine", "a number of words", count) * sizeof(std::int32_t);
    require("ncombine", "words", words, bytes, true);
    if (cast < trollius_os::first_cast || cast > UINT16_MAX) return -EBADNODE;
    if (operation < COMBINE_SUM || operation > COMBINE_MAX || (kind != COMBINE_INT && kind != COMBINE_FLOAT)) return -EINVAL;
    call_.to = NodeId(static_cast<NodeId::value_type>(cast));
    call_.combined.resize(static_cast<std::size_t>(count));
    if (bytes > 0) std::memcpy(call_.combined.data(), words, bytes);
    talk(
        [this, operation, kind](trollius_os::Api& api) {
            call_.number = trollius_os::ncombine(api, call_.to, static_cast<trollius_os::Reduction>(operation),
                                                 static_cast<trollius_os::WordKind>(kind), call_.combined);
        },
        With::Users);
    if (call_.number == 0 && bytes > 0) std::memcpy(words, call_.combined.data(), bytes);
    return -call_.number;
}

int NodeProcess::circuit_call(int which, nmsg* message) {
    constexpr const char* names[] = {"psendopen", "psend", "psendclose", "precvopen", "precv", "precvclose"};
    require(names[which], "a message", message, sizeof *message, which == TROLLIUS_PRECVOPEN || which == TROLLIUS_PRECV);
    const bool sends = which < TROLLIUS_PRECVOPEN;
    const auto to = sends ? node_at(message->nh_node) : node();
    if (!to) return -EBADNODE;
    const CircuitKey key{sends ? to->value() : 0, message->nh_event, message->nh_type};
    auto& mine = sends ? sending_ : receiving_;
    const auto found = mine.find(key);
    call_.to = *to;
    if (which == TROLLIUS_PSENDOPEN || which == TROLLIUS_PRECVOPEN)
        return found == mine.end() ? open_circuit(which, message, key) : -EINVAL;
    if (found == mine.end()) return -EINVAL;
    const trollius_os::CircuitName name = found->second;
    if (which == TROLLIUS_PSEND || which == TROLLIUS_PRECV) return move_on_circuit(which, message, name);
    mine.erase(found);
    on_caller([this, sends, name] {
        trollius_os::Calls& calls = seat_.api().calls();
        call_.number = sends ? trollius_os::psendclose(calls, name).get() : trollius_os::precvclose(calls, name).get();
        seat_.api().settle();
    });
    return -call_.number;
}

int NodeProcess::open_circuit(int which, nmsg* message, CircuitKey key) {
    const EventNo event(message->nh_event);
    const int type = message->nh_type;
    const bool sends = which == TROLLIUS_PSENDOPEN;
    on_caller([this, sends, event, type] {
        trollius_os::Calls& calls = seat_.api().calls();
        call_.opened = sends ? trollius_os::psendopen(calls, call_.to, event, type).get()
                             : trollius_os::precvopen(calls, event, type).get();
        seat_.api().settle();
    });
    if (call_.opened.error != 0) return -call_.opened.error;
    (sends ? sending_ : receiving_)[key] = call_.opened.circuit;
    if (!sends) message->nh_node = call_.opened.circuit.source;
    return 0;
}

int NodeProcess::move_on_circuit(int which, nmsg* message, trollius_os::CircuitName name) {
    const bool receives = which == TROLLIUS_PRECV;
    take_body(receives ? "precv" : "psend", "nh_msg", "nh_length", message->nh_msg, message->nh_length, receives, true);
    on_caller([this, receives, name] {
        trollius_os::Calls& calls = seat_.api().calls();
        call_.received = {};
        if (receives) {
            call_.received = trollius_os::precv(calls, name, call_.body).get();
        } else {
            call_.received.error = trollius_os::psend(calls, name, call_.body).get();
        }
        seat_.api().settle();
    });
    call_.message.length = call_.received.length;
    if (receives && call_.received.error == 0) message->nh_length = static_cast<int>(give_body(message->nh_msg));
    finish_call(trollius_os::Outcome::Done);
    return -call_.received.error;
}

}  // namespace node_programs
