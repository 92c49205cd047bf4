// Work on points of a study in this process and its children: rows go into a database.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include <forks/forks.hpp>
#include <sweeps/local_engine.hpp>
#include <sweeps/point_lists.hpp>
#include <sweeps/study.hpp>
#include <sweeps/study_database.hpp>

namespace cli {

class StudyWork {
public:
    StudyWork(const sweeps::Study& study, const sweeps::Points& points, sweeps::StudyDatabase& database)
        : study_(study), points_(points), database_(database) {}

    // `go_on`: often, with the points that have ended so far. False: stop. Rows of ended points are in the database then.
    // `under_way`: learns which points run; null: nobody does.
    void run(sweeps::PointSource& source, std::size_t at_once, const std::function<bool(std::size_t ended)>& go_on,
             sweeps::UnderWay* under_way = nullptr);
    std::size_t ended() const { return ended_; }
    double own_seconds() const { return own_seconds_; }  // of processor time within the points

private:
    void take(std::size_t point, const forks::ChildAnswer& answer);

    const sweeps::Study& study_;
    const sweeps::Points& points_;
    sweeps::StudyDatabase& database_;
    std::size_t ended_ = 0;
    double own_seconds_ = 0;
    std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace cli
