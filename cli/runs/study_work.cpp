#include "runs/study_work.hpp"

#include <malloc.h>

#include "frame/command.hpp"
#include "runs/study_case.hpp"
#include "runs/study_point.hpp"

namespace cli {

// Rows wait for each other at most this long, so a kill costs little work.
constexpr auto flush_every = std::chrono::milliseconds(500);

void StudyWork::run(sweeps::PointSource& source, std::size_t at_once, const std::function<bool(std::size_t)>& go_on,
                    sweeps::UnderWay* under_way) {
    sweeps::LocalEngine engine;
    engine.at_once = at_once;
    engine.seconds = study_.seconds;
    engine.memory = study_.memory;
    sweeps::CommandServers servers(study_, at_once, "/proc/self/exe");
    engine.servers = &servers;
    engine.work = [this, &servers](std::size_t point) { return packed(run_point(study_, points_[point], &servers).row); };
    engine.ended = [this, under_way](std::size_t point, const forks::ChildAnswer& answer) {
        take(point, answer);
        if (under_way != nullptr) under_way->ended(point);
    };
    if (under_way != nullptr) engine.begins = [under_way](std::size_t point) { under_way->begins(point); };
    malloc_trim(0);  // less memory, faster forks
    engine.go_on = [this, &go_on] { return go_on(ended_); };
    if (uses_folders(study_)) clear_point_folders();  // of studies that were killed
    engine.run(source);
    if (uses_folders(study_)) clear_point_folders();
    database_.flush();
}

void StudyWork::take(std::size_t point, const forks::ChildAnswer& answer) {
    sweeps::PointRow row;
    if (answer.how == forks::ChildAnswer::How::Done) {
        row = unpacked(answer.bytes);
    } else {
        row.exit_code = exit_code::of(answer.kind);
        row.failure = answer.failure;
        row.last_lines = answer.last_lines;
    }
    if (uses_folders(study_)) {
        row.failure = without_point_folders(row.failure);
        row.last_lines = without_point_folders(row.last_lines);
    }
    row.processor_seconds += answer.processor_seconds;  // to that of commands that stay
    own_seconds_ += row.processor_seconds;
    row.repeat = points_[point].repeat;
    row.number = point + 1;
    database_.add(row);
    ++ended_;
    const auto now = std::chrono::steady_clock::now();
    if (now - flushed_ < flush_every) return;
    database_.flush();
    flushed_ = now;
}

}  // namespace cli
