#include "runs/study_engines.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <sweeps/point_lists.hpp>
#include <sweeps/slurm_engine.hpp>
#include <sweeps/study_database.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "runs/study_pilot.hpp"
#include "runs/study_point.hpp"
#include "runs/study_undertaking.hpp"
#include "runs/study_work.hpp"

namespace cli {

using sweeps::Points;
using sweeps::Study;
using sweeps::StudyDatabase;

int study_dry_run(const Study& study, const Points& points, std::size_t at_once) {
    const Pilot first = pilot(study, points);
    if (interrupted != 0) return exit_code::interrupted;
    const auto count = static_cast<double>(points.size()), busy = static_cast<double>(std::min(at_once, processors()));
    if (!first.seconds)
        throw vocabulary::RequestError("the first point fails, so time and measures are not known; run one alone to see why: " +
                                       points[0].repeat);
    put(fmt::format("study {}: {} points, {} a point: about {} with {} at once; about {:.3g} MB", study.name, points.size(),
                    duration_text(*first.seconds), duration_text(*first.seconds * count / busy), at_once,
                    static_cast<double>(first.row_bytes) * count * 1e-6));
    return exit_code::nothing_found;
}

int study_here(const StudyOptions& options, const Study& study, const Points& points) {
    const std::size_t at_once = jobs_of(options, processors() + 1);  // none waits while this process writes a row
    if (options.dry_run) return study_dry_run(study, points, at_once);
    pilot(study, points);
    if (interrupted != 0) return exit_code::interrupted;
    Undertaking it(options, study, points, sweeps::Failures::RunAgain);
    StudyWork work(study, points, it.database());
    sweeps::PointList wanted(it.wanted());
    ProgressLine line(options.progress);
    const double before = processor_seconds();
    work.run(wanted, at_once, [&](std::size_t ended) { return line.steps("study", it.kept() + ended, it.all()); });
    line.clear();
    const double all = std::max(work.own_seconds(), processor_seconds() - before);
    return it.finish(all > 0 ? work.own_seconds() / all : 1, interrupted != 0);
}

int study_chunk(const StudyOptions& options, const Study& study, const Points& points) {
    const auto chunk = sweeps::points_of_chunk(options.chunk_of, fingerprint_of(options));
    const std::size_t at_once = jobs_of(options, 1);
    StudyDatabase database(sweeps::parts_file(options.out, options.part_name + ".db"), study, points, program_text(),
                           sweeps::Failures::Keep);
    sweeps::UnderWay under_way(sweeps::parts_file(options.out, options.part_name + ".running"), at_once);
    std::vector<std::size_t> wanted;
    for (const std::size_t point : chunk)
        if (!database.done().at(point)) wanted.push_back(point);
    sweeps::PointList list(std::move(wanted));
    StudyWork(study, points, database)
        .run(
            list, at_once, [](std::size_t) { return interrupted == 0; }, &under_way);
    if (interrupted != 0) return exit_code::interrupted;
    under_way.done();
    return exit_code::nothing_found;
}

}  // namespace cli
