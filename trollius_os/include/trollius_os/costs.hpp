// The costs of the kernel and its services, filled from the cost table (topologies/costs/t800.yaml, rows kernel.*, with
// sources).
#pragma once

#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace trollius_os {

struct KernelCosts {
    vocabulary::SimTime rendezvous;     // both halves of a local rendez-vous, header only; half is charged to each side
    double copy_bytes_per_us = 0;       // block copy
    vocabulary::SimTime route_look_up;  // in the process's own cache
    vocabulary::SimTime create_process;
    std::uint32_t datalink_header = 0;   // bytes on the wire before the body
    std::uint32_t message_tag = 8;       // bytes on the wire of a MessageTag
    std::uint32_t most_packet = 0;       // longest body of one packet
    std::uint32_t buffer_pool = 0;       // bytes that bufferd may store
    std::uint32_t user_pool = 0;         // with more than this stored, users' packets are refused
    std::uint64_t boot_image = 0;        // bytes sent to each node at boot
    std::uint64_t system_memory = 0;     // bytes of a node that the system keeps
    std::uint64_t service_stack = 0;     // modelled stack of a system process
    std::uint32_t process_table = 64;    // processes of a node at a time
    vocabulary::SimTime cast_packet;     // castd's work for one packet
    vocabulary::SimTime combine_word;    // ncombine: one word of two contributions
    std::uint32_t casts = 32;            // of a machine at a time
    vocabulary::SimTime circuit_chunk;   // a link process's work for one piece of a message over a circuit
    std::uint32_t circuit_header = 16;   // bytes on the wire before each piece
    std::uint32_t circuit_piece = 256;   // bytes of a piece at most
    std::uint32_t circuits = 67;         // ends of circuits of a node at a time
    vocabulary::SimTime memory_request;  // mallocd's work for one request, beside copying
    vocabulary::SimTime trace_request;   // traced's work for one request
    std::uint32_t trace_space = 65'536;  // bytes that traced keeps, headers included
};

}  // namespace trollius_os
