#include "slurm_commands.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <forks/command.hpp>
#include <vocabulary/errors.hpp>

namespace sweeps {
namespace {

forks::CommandEnd slurm(const std::vector<std::string>& words) {
    forks::CommandEnd end = forks::run_command(words);
    if (!end.found)
        throw vocabulary::HostError(fmt::format(
            "there is no '{}' here, and --engine slurm needs Slurm's commands; give the command on a computer of the "
            "cluster that has them, or take --engine local",
            words.front()));
    return end;
}

}  // namespace

// Slurm's states of a job that will not go on ("JOB STATE CODES" of squeue's page). All others are before or during the work.
bool JobState::has_ended() const {
    constexpr std::array ended = {"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
                                  "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
    return std::any_of(ended.begin(), ended.end(), [this](const char* word) { return state == word; });
}

std::string submit(const std::vector<std::string>& options, const std::string& script, const std::string& argument) {
    std::vector<std::string> words{"sbatch", "--parsable"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {script, argument});
    const forks::CommandEnd end = slurm(words);
    if (end.exit_code != 0)
        throw vocabulary::RequestError(
            fmt::format("sbatch refuses the job: {}; see its options with 'man sbatch', and give them as --sbatch "
                        "'--partition=NAME --mem=2G'",
                        end.err.empty() ? fmt::format("exit code {}", end.exit_code) : end.err));
    const std::string job = end.out.substr(0, std::min(end.out.find(';'), end.out.size()));  // ";CLUSTER" may follow
    if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos)
        throw vocabulary::RequestError(fmt::format("sbatch has printed '{}', which is no number of a job", end.out));
    return job;
}

std::optional<std::vector<JobState>> states_of(const std::vector<std::string>& jobs) {
    const forks::CommandEnd end = slurm({"squeue", "--noheader", "--array", "--states=all", "--format=%F|%K|%T|%r",
                                         fmt::format("--jobs={}", fmt::join(jobs, ","))});
    std::vector<JobState> states;
    if (end.exit_code != 0) {
        // It has forgotten them all.
        if (end.err.find("Invalid job id") != std::string::npos) return states;
        return std::nullopt;
    }
    std::istringstream lines(end.out);
    for (std::string line; std::getline(lines, line);) {
        JobState one;
        std::istringstream fields(line);
        std::string index;
        std::getline(fields, one.job, '|');
        std::getline(fields, index, '|');
        std::getline(fields, one.state, '|');
        std::getline(fields, one.reason, '|');
        const auto [at, error] = std::from_chars(index.data(), index.data() + index.size(), one.index);
        if (error == std::errc()) states.push_back(std::move(one));
    }
    return states;
}

std::string job_named(const std::string& name) {
    const forks::CommandEnd end = slurm({"squeue", "--noheader", "--states=all", "--format=%F", "--name=" + name});
    return end.exit_code == 0 ? end.out.substr(0, std::min(end.out.find('\n'), end.out.size())) : std::string();
}

}  // namespace sweeps
