// Reads the rows of mpi_tables.hpp out of the memory of the ranks.
#pragma once

#include <vector>

#include <mpi_runs/mpi_tables.hpp>
#include <node_programs/programs.hpp>

namespace mpi_runs {

// No program may run meanwhile.
Task task_of(std::size_t rank, const user_programs::ProgramProcess& process);
void add_messages(std::size_t rank, const user_programs::ProgramProcess& process, std::vector<BufferedMessage>& messages);

}  // namespace mpi_runs
