// RankImage: a rank of an MPI program at a checkpoint, and its file. The library's queues and requests lie in the memory of the
// rank, so the image has them. Packets under way are none of it.
#pragma once

#include <cstdint>
#include <string>

#include <tmon_recovery/event_graph.hpp>
#include <user_programs/process_image.hpp>

namespace mpi_runs {

struct ImageHead {
    std::uint32_t rank = 0;
    tmon_recovery::EventNo after = 0;  // so many events are done
    std::uint32_t clocks_read = 0;     // by MPI_Wtime()
    std::uint32_t since_us = 0;        // since the last of these events, by the node's clock: it goes on from there
    user_programs::ProcessImage::Addresses addresses{};
    std::uint64_t memory_hash = 0;
    std::uint64_t run = 0;  // a hash of what says of which record, plan and program it is
};
struct RankImage : ImageHead {
    user_programs::ProcessImage process{};
};

// Throws vocabulary::InputError or HostError: the file cannot be written. Returns its bytes. Cost: some milliseconds a
// megabyte that is not zero.
std::uint64_t write_image(const std::string& path, const RankImage& image);
// Throws vocabulary::InputError: no such file, another version, damage anywhere.
RankImage read_image(const std::string& path);
// Its head alone, without the rest of the file.
ImageHead read_image_head(const std::string& path);

}  // namespace mpi_runs
