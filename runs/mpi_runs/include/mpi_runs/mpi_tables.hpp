// The tables of LAM's mpitask and mpimsg: what each rank does, and the messages that lie in buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <vocabulary/ids.hpp>

namespace mpi_runs {

struct Task {
    std::size_t rank = 0;
    std::optional<std::int32_t> local;          // its rank in the communicator of the call
    std::string state;                          // the call without "MPI_", or "running"
    std::string peer;                           // "1/1", "ANY", the root of a collective operation; empty: none
    std::string tag;                            // "ANY"; "*" for a collective operation
    std::string communicator, count, datatype;  // empty: none
};
struct BufferedMessage {
    std::size_t from = 0, to = 0;  // ranks of the world
    std::int32_t tag = 0;
    std::uint32_t communicator = 0;  // 0: WORLD; its number by creation
    bool collective = false;         // of a collective operation, or of the library
    std::int32_t count = 0;
    std::string datatype;
    vocabulary::NodeId node;  // in whose memory it lies
    std::size_t number = 0;   // how manieth there
};
// With a head, a line each: "TASK (G/L)  FUNCTION  PEER|ROOT  TAG  COMM  COUNT  DATATYPE".
std::string text_of(const std::vector<Task>& tasks);
// "SRC (G/L)  DEST (G/L)  TAG  COMM  COUNT  DATATYPE  MSG".
std::string text_of(const std::vector<BufferedMessage>& messages);

// The same rows as arrays of objects, for magicwire.mpirun/1.
nlohmann::ordered_json json_of(const std::vector<Task>& tasks);
nlohmann::ordered_json json_of(const std::vector<BufferedMessage>& messages);

}  // namespace mpi_runs
