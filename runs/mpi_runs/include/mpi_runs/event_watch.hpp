// EventWatch: hears of each packet that the MPI library of a rank sends or takes. It runs on the stack of the rank, in no
// modelled time. Its answers decide what comes next. So a run is recorded, and repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <tmon_recovery/event_graph.hpp>
#include <user_programs/process_image.hpp>

namespace mpi_runs {

struct Packet {
    std::size_t peer = 0;
    tmon_recovery::MessageKind kind = tmon_recovery::MessageKind::Message;  // Part: also of the library itself
    std::uint32_t bytes = 0;
    std::uint32_t check = 0;                     // a hash of its words and data
    const std::string* line = nullptr;           // of the call: "ring.c:12"; empty: unknown
    std::span<const std::byte> words{}, body{};  // its content, in the memory of the rank
};

class EventWatch {
public:
    virtual ~EventWatch() = default;

    // Answers. takes() has `from + rank`, too. After hands_image keep() gets an image, and sends() or takes() is asked again.
    // With swallows the packet of sends() does not leave. With is_fed, fed() has the packet of takes().
    // After waits, starts() is asked again soon.
    static constexpr std::int32_t goes_on = 0, stops = -1, finds_nothing = -2, hands_image = -3, swallows = -4, is_fed = -5,
                                  waits = -6, from = 1;

    // Clocks are those of high priority of the node, in microseconds.
    virtual std::int32_t starts(std::size_t rank, std::uint64_t clock_us) = 0;
    virtual std::int32_t sends(std::size_t rank, const Packet& packet, std::uint64_t clock_us) = 0;
    virtual std::int32_t takes(std::size_t rank, bool waits, std::uint64_t clock_us) = 0;
    virtual std::int32_t taken(std::size_t rank, const Packet& packet, std::uint64_t clock_us) = 0;
    virtual void ends(std::size_t rank, std::uint64_t clock_us) = 0;  // MPI_Finalize() is over
    // The program reads its clock: what it shall find.
    virtual double reads_clock(std::size_t rank, double seconds) = 0;
    // All nodes read their clocks at one time: before the ranks are loaded, and when the run is over.
    virtual void pulse(std::span<const std::uint64_t> clocks_us) = 0;
    virtual void keep(std::size_t, std::uint64_t, user_programs::ProcessImage&&) {}  // rank, clock, image
    virtual void has_no_image(std::size_t, const std::string&) {}                    // instead of keep(); the reason
    virtual std::span<const std::byte> fed(std::size_t) { return {}; }               // eight words, and the body
    // The image that a rank goes on from; null: it begins with main(). starts() tells when it does.
    virtual std::shared_ptr<const user_programs::ProcessImage> begins_from(std::size_t) { return nullptr; }
    virtual bool done() const { return false; }  // true: the run ends here
};

}  // namespace mpi_runs
