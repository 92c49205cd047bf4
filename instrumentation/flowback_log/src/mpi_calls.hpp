// Memory that calls of MPI read and write through pointers, beside the data of messages, which the library tells.
#pragma once

#include <span>

namespace flowback_log {

struct LibraryCall {
    const char* name;      // without "MPI_"
    const char* accesses;  // as library_calls.cpp reads them
};
std::span<const LibraryCall> mpi_calls();

}  // namespace flowback_log
