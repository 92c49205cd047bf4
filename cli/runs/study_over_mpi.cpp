// study --engine mpi.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <sweeps/mpi_engine.hpp>
#include <sweeps/slurm_engine.hpp>
#include <sweeps/study_database.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "runs/study_engines.hpp"
#include "runs/study_pilot.hpp"
#include "runs/study_point.hpp"
#include "runs/study_undertaking.hpp"
#include "runs/study_work.hpp"

namespace cli {

using sweeps::Points;
using sweeps::Study;
using sweeps::StudyDatabase;

namespace {

// A killed job's processes may not be gone yet.
StudyDatabase open_part(const std::string& path, const Study& study, const Points& points) {
    constexpr auto pause = std::chrono::milliseconds(250);
    for (int attempts = 20;; --attempts) {
        try {
            return {path, study, points, program_text(), sweeps::Failures::Keep};
        } catch (const sweeps::DatabaseBusy&) {
            if (attempts == 0) throw;
        }
        std::this_thread::sleep_for(pause);
    }
}

int work_for_rank_0(const StudyOptions& options, sweeps::Ranks& ranks) {
    const std::size_t at_once = jobs_of(options, 1);
    sweeps::RankSource source(ranks, at_once);
    const auto fingerprint = source.begin();
    if (fingerprint) {
        if (*fingerprint != fingerprint_of(options))
            throw vocabulary::RequestError(
                fmt::format("rank {} has another study file or another program than rank 0; all need the same", ranks.rank()));
        const Study study = sweeps::read_study(options.file);
        const Points points(study, repeat_line);
        StudyDatabase database =
            open_part(sweeps::parts_file(options.out, fmt::format("rank-{}.db", ranks.rank())), study, points);
        StudyWork work(study, points, database);
        std::size_t told = 0;
        work.run(source, at_once, [&](std::size_t ended) {
            for (; told < ended; ++told) source.ended();
            return interrupted == 0;
        });
        for (; told < work.ended(); ++told) source.ended();
    }
    if (interrupted != 0) return exit_code::interrupted;
    if (fingerprint) source.close();
    ranks.leave();
    return exit_code::nothing_found;
}

int hand_out(const StudyOptions& options, sweeps::Ranks& ranks) {
    const Study study = sweeps::read_study(options.file);
    const Points points(study, repeat_line);
    check_values(study, points);
    const std::size_t workers = ranks.size() - 1;
    if (options.dry_run) {
        const int result = study_dry_run(study, points, workers * jobs_of(options, 1));
        sweeps::HandOut::nothing(ranks);
        return result;
    }
    const Pilot first = pilot(study, points);
    if (interrupted != 0) return exit_code::interrupted;
    Undertaking it(options, study, points, sweeps::Failures::RunAgain);
    ProgressLine line(options.progress);
    sweeps::HandOut engine;
    constexpr double seconds_at_a_time = 2;
    engine.most = static_cast<std::size_t>(std::clamp(
        seconds_at_a_time * static_cast<double>(jobs_of(options, 1)) / std::max(1e-6, first.seconds.value_or(1)), 1.0, 1000.0));
    engine.go_on = [&](std::size_t ended) { return line.steps("study", it.kept() + ended, it.all()) && interrupted == 0; };
    engine.run(ranks, fingerprint_of(options), it.wanted());
    line.clear();
    sweeps::collect_parts(options.out, it.database());
    return it.finish(std::nullopt, interrupted != 0);
}

}  // namespace

int study_over_mpi(const StudyOptions& options) {
    sweeps::Ranks ranks(std::filesystem::path(own_path()).parent_path() / "magicwire-mpi");
    if (ranks.rank() > 0) return work_for_rank_0(options, ranks);
    if (ranks.size() == 1) {
        ranks.leave();
        const Study study = sweeps::read_study(options.file);
        const Points points(study, repeat_line);
        check_values(study, points);
        return study_here(options, study, points);
    }
    int result = exit_code::nothing_found;
    try {
        result = hand_out(options, ranks);
    } catch (const std::exception& error) {
        result = tell_error(error);
        sweeps::HandOut::nothing(ranks);
    }
    // The others of an interrupted job end with it.
    if (result != exit_code::interrupted) ranks.leave();
    return result;
}

}  // namespace cli
