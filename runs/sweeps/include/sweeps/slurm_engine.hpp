// The Slurm engine: arrays of jobs. Each job works on a chunk of the points with the local engine, and has a database of its
// own. Slurm alone decides where and when they run.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <sweeps/study_database.hpp>

namespace sweeps {

// How much of a study has gone to Slurm, and what has come back.
enum class SlurmEnd { Complete, Submitted, Interrupted, Cancelled };
struct SlurmResult {
    SlurmEnd end = SlurmEnd::Complete;
    std::vector<std::string> jobs;  // that are not known to have ended
};

struct SlurmEngine {
    std::string out;                  // the study's database; files of the jobs are in `out` with .parts at its end
    std::string fingerprint;          // of study and program: a job with another one refuses to work
    std::string command;              // for a shell: the command that works on a chunk, without the next two
    std::string chunk_option;         // "--chunk-of FILE:NUMBER": the name of that option
    std::string part_option;          // and of the one for the name of the job's files
    std::vector<std::string> sbatch;  // more options for sbatch
    std::size_t chunk = 100;          // points of a job
    bool wait = true;                 // false: returns when jobs are submitted, or still at work
    // Often, with a line about the jobs. False: returns; the jobs go on.
    std::function<bool(const std::string& text)> go_on;
    // Before a row is added: of a job's database, or about a point whose jobs were killed.
    std::function<void(const std::string& news)> tell;

    // Submits what `database` misses, and collects what jobs have done, also those of an earlier call. A point whose job was
    // killed five times while it ran is a row with the reason. Throws vocabulary::RequestError when Slurm refuses the jobs, or
    // when they end without any result, with the last lines of one. Cost: a call of squeue each few seconds.
    SlurmResult run(const Points& points, StudyDatabase& database) const;
    // True when jobs of an earlier call may still bring rows.
    static bool is_under_way(const std::string& out);
};

// Points of chunk NUMBER of "FILE:NUMBER". Throws vocabulary::RequestError when the study has changed since.
std::vector<std::size_t> points_of_chunk(const std::string& place, const std::string& fingerprint);

// A file of the parts of `out`, its folder made if need be.
std::string parts_file(const std::string& out, const std::string& name);
// Adds the rows of every part that no process uses, and removes the part. Returns how many rows there were.
std::size_t collect_parts(const std::string& out, StudyDatabase& database);
void remove_parts_folder(const std::string& out);  // if it is empty of parts

}  // namespace sweeps
