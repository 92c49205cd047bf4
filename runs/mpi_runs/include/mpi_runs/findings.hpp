// Findings: the mistakes of an MPI program that its library and its run have seen, with the lines of its source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace mpi_runs {

struct Finding {
    std::string kind = {};                 // a stable name: "invalid-argument", "leak" (finding_kinds)
    bool likely = false;                   // the standard allows it, but hardly anybody means it; else it is certain
    bool fatal = false;                    // the program has ended by it
    std::optional<std::size_t> rank = {};  // of the world; empty: of no single one
    std::string function = {};             // of MPI, in which or about which it is: "MPI_Send"; empty: none
    std::string file = {};                 // of that call, without its folder; empty: no line is known
    unsigned line = 0;
    std::string communicator = {}, error_class = {};  // "MPI_COMM_WORLD", "MPI_ERR_RANK"; empty: none
    std::string text = {};                            // all of it in words
    std::string advice = {};                          // empty: none
};
// "rank 0: MPI_Send() at ring.c:12 on MPI_COMM_WORLD: MPI_ERR_RANK: dest is 7", and the advice in a line of its own.
std::string text_of(const Finding& finding);
// "ring.c:12" as a file and a line.
void set_line(Finding& finding, const std::string& where);

}  // namespace mpi_runs
