// The messages of a real MPI run as a trace file: docs/formats/trace_file.md.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <real_mpi/rank_files.hpp>

namespace real_mpi {

// A node is a rank. Event numbers are tags. Collective operations that order all of their ranks are groups; casts are
// communicators. Times are those of the host, from the first rank's beginning, so they need no adjustment on one host. A rank
// that has not ended has no end mark. `manifest`: keys beside those that the analyses read. Throws vocabulary::InputError or
// HostError: the file cannot be written.
void write_trace(const RankFiles& files, const std::string& path, nlohmann::ordered_json manifest);

}  // namespace real_mpi
