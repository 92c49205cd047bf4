#include "event_notes.hpp"

#include <cstring>

#include <tmon_recovery/run_record.hpp>
#include <user_programs/loaded_program.hpp>

namespace mpi_runs {
namespace {

using tmon_recovery::MessageKind;

MessageKind kind_of(const lam_event_note& its) {
    const std::int32_t kind = its.words[LAM_WORD_KIND] & ((1 << LAM_KIND_BITS) - 1);
    if (kind == LAM_PIECE) return MessageKind::Part;
    if (kind != LAM_DATA && kind != LAM_ANNOUNCEMENT) return MessageKind::Answer;
    const auto context = static_cast<std::uint32_t>(its.words[LAM_WORD_CONTEXT]);
    return context % LAM_ALL_CONTEXTS == LAM_PRIVATE_CONTEXT ? MessageKind::Part : MessageKind::Message;
}

}  // namespace

std::uint64_t EventNotes::clock_us(vocabulary::NodeId node) {
    return box_.port(node).clock_us(trollius_os::Priority::High);
}

void EventNotes::pulse() {
    std::vector<std::uint64_t> clocks;
    for (const vocabulary::NodeId node : places_) clocks.push_back(clock_us(node));
    watch_.pulse(clocks);
}

Packet EventNotes::packet_of(const node_programs::Report::Running& by, const lam_event_note& its) {
    Packet packet;
    packet.peer = static_cast<std::size_t>(its.peer);
    packet.kind = kind_of(its);
    packet.bytes = static_cast<std::uint32_t>(its.bytes);
    const std::uint64_t words = tmon_recovery::checksum(its.words, 8 * sizeof *its.words);
    const std::uint64_t both = (words * 31) ^ tmon_recovery::checksum(its.body, its.body == nullptr ? 0 : packet.bytes);
    packet.check = static_cast<std::uint32_t>(both ^ (both >> 32U));
    const auto [at, is_new] = lines_.try_emplace(its.from);
    if (is_new && its.from != nullptr) at->second = by.process->program().line_of(reinterpret_cast<std::uintptr_t>(its.from));
    packet.line = &at->second;
    return packet;
}

bool EventNotes::note(const node_programs::Report::Running& by, int what, std::span<const std::byte> record) {
    if (what == LAM_NOTE_ENDED) {
        const auto rank = ranks_.find({by.node, by.pid});
        if (rank != ranks_.end()) watch_.ends(rank->second, clock_us(by.node));
        return false;
    }
    if (what == LAM_NOTE_CLOCK) {
        lam_clock_note its{};
        std::memcpy(&its, record.data(), sizeof its);
        its.seconds = watch_.reads_clock(static_cast<std::size_t>(its.rank), its.seconds);
        std::memcpy(const_cast<std::byte*>(record.data()), &its, sizeof its);  // the library finds the answer there
        return true;
    }
    if (what < LAM_NOTE_STARTS || what > LAM_NOTE_TAKEN) return false;
    lam_event_note its{};
    std::memcpy(&its, record.data(), sizeof its);
    const auto rank = static_cast<std::size_t>(its.rank);
    const std::uint64_t now = clock_us(by.node);
    if (what == LAM_NOTE_STARTS) ranks_[{by.node, by.pid}] = rank;
    its.answer = what == LAM_NOTE_STARTS  ? watch_.starts(rank, now)
                 : what == LAM_NOTE_SENDS ? watch_.sends(rank, packet_of(by, its), now)
                 : what == LAM_NOTE_TAKES ? watch_.takes(rank, its.peer != 0, now)
                                          : watch_.taken(rank, packet_of(by, its), now);
    std::memcpy(const_cast<std::byte*>(record.data()), &its, sizeof its);
    return true;
}

}  // namespace mpi_runs
