// Slurm's commands: sbatch and squeue.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sweeps {

// One job of an array, as squeue shows it.
struct JobState {
    std::string job;        // of the array
    std::size_t index = 0;  // within the array
    std::string state, reason;
    bool has_ended() const;
};

// Submits a script and returns the number of the job. Throws vocabulary::HostError when there is no sbatch, and
// vocabulary::RequestError with Slurm's message when it refuses.
std::string submit(const std::vector<std::string>& options, const std::string& script, const std::string& argument);
// The jobs that Slurm still knows; the others have ended some time ago. Empty: Slurm does not answer at the moment. Throws
// vocabulary::HostError when there is no squeue.
std::optional<std::vector<JobState>> states_of(const std::vector<std::string>& jobs);
// A job of that name that Slurm still knows; empty: none.
std::string job_named(const std::string& name);

}  // namespace sweeps
