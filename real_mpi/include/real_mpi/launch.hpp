// Starts a real MPI program with the preloaded library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <real_mpi/rank_files.hpp>
#include <tmon_replay/delivery_order.hpp>

namespace real_mpi {

enum class Mpi : std::uint8_t { OpenMpi, Mpich };
const char* name_of(Mpi mpi);       // "Open MPI", "MPICH"
const char* file_name_of(Mpi mpi);  // "openmpi", "mpich"

struct Command {
    std::vector<std::string> words;  // all
    std::size_t program = 0;         // which of them is the MPI program
    std::string path;                // its file
    Mpi mpi = Mpi::OpenMpi;
    std::optional<std::size_t> ranks;  // as -np says; empty: it does not
};

// Looks among the words for the first program that is linked with an MPI library. With `mpi`: for the first program behind
// mpirun. Throws vocabulary::InputError: there is none.
Command find_program(const std::vector<std::string>& words, std::optional<Mpi> mpi);

// Program, hash and arguments; ranks if they are known.
tmon_replay::RunIdentity identity_of(const Command& command);

struct Ended {
    int status = 0;         // exit code of the command; 128 and the signal's number if one has ended it
    bool killed = false;    // by a signal, from here or from outside
    bool too_late = false;  // the limit has ended it
};
// Runs the command with the ranks' files in `folder`, an absolute path, and waits for its end and theirs. Standard input,
// output and error are those of this process. A SIGTERM is handed on; an interrupt from the terminal reaches the command
// anyway. `limit_s`: ends it after so many seconds; 0: never. Throws vocabulary::HostError: it cannot be started.
Ended run(const Command& command, const std::string& library, const std::string& folder, bool replays, double limit_s);

// N.script in the folder, for each rank. Throws vocabulary::InputError or HostError.
void write_scripts(const tmon_replay::DeliveryOrder& order, const std::string& folder);

// The first divergence of a replay from `name`, in words; empty: there is none.
std::string divergence_text(const RankFiles& files, const std::string& name);
// A rank that waits for what the record names, in words; empty: none does. It may still come.
std::string waits_text(const RankFiles& files);

}  // namespace real_mpi
