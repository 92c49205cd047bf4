// EventNotes: makes calls of an EventWatch of what the library notes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <lam_mpi/lam_start.h>
#include <mpi_runs/event_watch.hpp>
#include <node_programs/programs.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <vocabulary/ids.hpp>

namespace mpi_runs {

class EventNotes {
public:
    // All of them outlive it.
    EventNotes(EventWatch& watch, trollius_hosted::Multicomputer& box, const std::vector<vocabulary::NodeId>& places)
        : watch_(watch), box_(box), places_(places) {}

    // node_programs::Report::note. False: it is another note.
    bool note(const node_programs::Report::Running& by, int what, std::span<const std::byte> record);
    void pulse();

private:
    std::uint64_t clock_us(vocabulary::NodeId node);
    Packet packet_of(const node_programs::Report::Running& by, const lam_event_note& its);
    void hand_image(const node_programs::Report::Running& by, std::span<const std::byte> record);
    void feed(std::size_t rank, lam_event_note& its) const;

    EventWatch& watch_;
    trollius_hosted::Multicomputer& box_;
    const std::vector<vocabulary::NodeId>& places_;
    std::map<const void*, std::string> lines_{};
    std::map<std::pair<vocabulary::NodeId, vocabulary::ProcessId>, std::size_t> ranks_{};
};

}  // namespace mpi_runs
