#include "event_notes.hpp"

#include <cstring>

#include <tmon_recovery/run_record.hpp>
#include <user_programs/program_process.hpp>

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
    const std::uint64_t words = tmon_recovery::checksum(its.words, LAM_PACKET_WORDS_NOTED * sizeof *its.words);
    const std::uint64_t both = (words * 31) ^ tmon_recovery::checksum(its.body, its.body == nullptr ? 0 : packet.bytes);
    packet.check = static_cast<std::uint32_t>(both ^ (both >> 32U));
    packet.words = std::as_bytes(std::span(its.words, LAM_PACKET_WORDS_NOTED));
    if (its.body != nullptr) packet.body = {static_cast<const std::byte*>(its.body), packet.bytes};
    const auto [at, is_new] = lines_.try_emplace(its.from);
    if (is_new && its.from != nullptr) at->second = by.process->program().line_of(reinterpret_cast<std::uintptr_t>(its.from));
    packet.line = &at->second;
    return packet;
}

// The program waits meanwhile, so that its registers and stack stand still.
void EventNotes::hand_image(const node_programs::Report::Running& by, std::span<const std::byte> record) {
    lam_image_point point{};
    if (record.size() != sizeof point) return;
    std::memcpy(&point, record.data(), sizeof point);
    const std::size_t rank = ranks_.at({by.node, by.pid});
    user_programs::ProcessImage::Registers registers;
    registers.frame = reinterpret_cast<std::uintptr_t>(point.registers[0]);
    registers.instruction = reinterpret_cast<std::uintptr_t>(point.registers[1]);
    registers.stack = reinterpret_cast<std::uintptr_t>(point.registers[2]);
    registers.modes = __builtin_ia32_stmxcsr();
    std::uint16_t old_modes = 0;
    asm volatile("fnstcw %0" : "=m"(old_modes));
    registers.old_modes = old_modes;
    by.process->on_caller([this, process = by.process, rank, registers] {
        const std::string obstacle = process->image_obstacle();
        if (obstacle.empty())
            watch_.keep(rank, clock_us(process->node()), process->image(registers));
        else
            watch_.has_no_image(rank, obstacle);
    });
}

void EventNotes::feed(std::size_t rank, lam_event_note& its) const {
    const std::span<const std::byte> all = watch_.fed(rank);
    const std::size_t words = LAM_PACKET_WORDS_NOTED * sizeof *its.words;
    std::memcpy(const_cast<std::int32_t*>(its.words), all.data(), words);
    its.bytes = static_cast<std::int32_t>(all.size() - words);
    if (its.bytes > 0) std::memcpy(const_cast<void*>(its.body), all.data() + words, all.size() - words);
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
    if (what == LAM_NOTE_ROOM) {
        lam_room_note its{};
        if (record.size() != sizeof its) return true;
        std::memcpy(&its, record.data(), sizeof its);
        if (its.room != nullptr) {
            by.process->take_room_back(its.room);
            return true;
        }
        its.room = by.process->lend_room(static_cast<std::size_t>(its.bytes));
        std::memcpy(const_cast<std::byte*>(record.data()), &its, sizeof its);
        return true;
    }
    if (what == LAM_NOTE_IMAGE) {
        hand_image(by, record);
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
    if (its.answer == EventWatch::is_fed) feed(rank, its);
    std::memcpy(const_cast<std::byte*>(record.data()), &its, sizeof its);
    return true;
}

}  // namespace mpi_runs
