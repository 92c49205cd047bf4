// Options of `magicwire study`, and what its parts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sweeps/study.hpp>

namespace cli {

struct StudyOptions {
    std::string file, out, progress = "auto", engine = "local";
    std::string jobs, part, chunk;
    std::vector<std::string> collect, sbatch;
    bool dry_run = false, no_wait = false;
    bool quiet = false;               // no result on standard output: another command shows it
    std::string chunk_of, part_name;  // of one Slurm job, which the engine starts
};

// --part: "3/10" is every tenth point from the third on, in a database of its own. Throws CLI::ValidationError.
struct Part {
    std::size_t number = 1, of = 1;
};
Part part_of(const StudyOptions& options);

// Points at once: --jobs, or `otherwise`.
std::size_t jobs_of(const StudyOptions& options, std::size_t otherwise);
std::size_t processors();  // of this computer that this process may use

// Program and version. Another build may have another model, so a row of one does not hold for another.
std::string program_text();
// Names the study file and the program: all who work on a study have the same.
std::string fingerprint_of(const StudyOptions& options);
std::string duration_text(double seconds);
std::string own_path();  // of this program

}  // namespace cli
