// Casts, reductions, and circuits.
#include <algorithm>
#include <cstring>

#include "../support/trollius_calls.h"
#include "node_process.hpp"

namespace node_programs {

using vocabulary::EventNo;
using vocabulary::NodeId;

int NodeProcess::cast(const int* nodes, int count) {
    const std::size_t all = require_length("rcast", "a number of nodes", count);
    require("rcast", "a list", nodes, all * sizeof *nodes, false);
    list_.clear();
    for (std::size_t i = 0; i < all; ++i) {
        const auto one = node_at(nodes[i]);
        if (!one) return -EBADNODE;
        list_.push_back(*one);
    }
    on_caller([this] {
        cast_ = trollius_os::rcast(seat_.api(), list_);
        seat_.api().settle();
    });
    return cast_.error == 0 ? cast_.cast.value() : -cast_.error;
}

int NodeProcess::cast_nodes(int cast, int* nodes, int most) {
    require("rcask", "a table", nodes, require_length("rcask", "a size", most) * sizeof *nodes, true);
    if (cast < trollius_os::first_cast || cast > UINT16_MAX) return -EBADNODE;
    to_ = NodeId(static_cast<NodeId::value_type>(cast));
    on_caller([this] {
        trollius_os::CastNodes asked = trollius_os::rcask(seat_.api(), to_);
        error_ = asked.error;
        list_ = std::move(asked.nodes);
        seat_.api().settle();
    });
    if (error_ != 0) return -error_;
    for (std::size_t i = 0; i < list_.size() && i < static_cast<std::size_t>(most); ++i) nodes[i] = list_[i].value();
    return static_cast<int>(list_.size());
}

int NodeProcess::combine(int cast, int operation, int kind, void* words, int count) {
    const std::size_t bytes = require_length("ncombine", "a number of words", count) * sizeof(std::int32_t);
    require("ncombine", "words", words, bytes, true);
    if (cast < trollius_os::first_cast || cast > UINT16_MAX) return -EBADNODE;
    if (operation < COMBINE_SUM || operation > COMBINE_MAX || (kind != COMBINE_INT && kind != COMBINE_FLOAT)) return -EINVAL;
    to_ = NodeId(static_cast<NodeId::value_type>(cast));
    combined_.resize(static_cast<std::size_t>(count));
    if (bytes > 0) std::memcpy(combined_.data(), words, bytes);
    on_caller([this, operation, kind] {
        error_ = trollius_os::ncombine(seat_.api(), to_, static_cast<trollius_os::Reduction>(operation),
                                       static_cast<trollius_os::WordKind>(kind), combined_);
        seat_.api().settle();
    });
    if (error_ == 0 && bytes > 0) std::memcpy(words, combined_.data(), bytes);
    return -error_;
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
    to_ = *to;
    if (which == TROLLIUS_PSENDOPEN || which == TROLLIUS_PRECVOPEN)
        return found == mine.end() ? open_circuit(which, message, key) : -EINVAL;
    if (found == mine.end()) return -EINVAL;
    const trollius_os::CircuitName name = found->second;
    if (which == TROLLIUS_PSEND || which == TROLLIUS_PRECV) return move_on_circuit(which, message, name);
    mine.erase(found);
    on_caller([this, sends, name] {
        trollius_os::Calls& calls = seat_.api().calls();
        error_ = sends ? trollius_os::psendclose(calls, name).get() : trollius_os::precvclose(calls, name).get();
        seat_.api().settle();
    });
    return -error_;
}

int NodeProcess::open_circuit(int which, nmsg* message, CircuitKey key) {
    const EventNo event(message->nh_event);
    const int type = message->nh_type;
    const bool sends = which == TROLLIUS_PSENDOPEN;
    on_caller([this, sends, event, type] {
        trollius_os::Calls& calls = seat_.api().calls();
        opened_ =
            sends ? trollius_os::psendopen(calls, to_, event, type).get() : trollius_os::precvopen(calls, event, type).get();
        seat_.api().settle();
    });
    if (opened_.error != 0) return -opened_.error;
    (sends ? sending_ : receiving_)[key] = opened_.circuit;
    if (!sends) message->nh_node = opened_.circuit.source;
    return 0;
}

int NodeProcess::move_on_circuit(int which, nmsg* message, trollius_os::CircuitName name) {
    const bool receives = which == TROLLIUS_PRECV;
    take_body(receives ? "precv" : "psend", "nh_msg", "nh_length", message->nh_msg, message->nh_length, receives, true);
    on_caller([this, receives, name] {
        trollius_os::Calls& calls = seat_.api().calls();
        received_ = {};
        if (receives) {
            received_ = trollius_os::precv(calls, name, body_).get();
        } else {
            received_.error = trollius_os::psend(calls, name, body_).get();
        }
        seat_.api().settle();
    });
    message_.length = received_.length;
    if (receives && received_.error == 0) message->nh_length = static_cast<int>(give_body(message->nh_msg));
    finish_call(trollius_os::Outcome::Done);
    return -received_.error;
}

}  // namespace node_programs
