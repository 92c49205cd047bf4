// The engines of `magicwire study`: the same points and the same rows, on this computer, over MPI's ranks or Slurm's jobs.
#pragma once

#include <sweeps/study.hpp>

#include "runs/study_options.hpp"

namespace cli {

// Each returns the exit code. `options.out` is the name of the database.
int study_here(const StudyOptions& options, const sweeps::Study& study, const sweeps::Points& points);
int study_on_slurm(const StudyOptions& options, const sweeps::Study& study, const sweeps::Points& points);
int study_over_mpi(const StudyOptions& options);
// A Slurm job's chunk of points.
int study_chunk(const StudyOptions& options, const sweeps::Study& study, const sweeps::Points& points);
// Says what a study would cost.
int study_dry_run(const sweeps::Study& study, const sweeps::Points& points, std::size_t at_once);

}  // namespace cli
