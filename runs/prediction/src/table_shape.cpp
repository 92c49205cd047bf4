#include "table_shape.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prediction {
namespace {

using Times = std::array<double, 5>;

double workers_of(const scenario::Scenario& scenario) {
    return static_cast<double>(std::max<std::size_t>(2, scenario.farm.members().size()) - 1);
}

// The manager's two processes run beside each other, but on one processor only where both are busy. The one with more to do
// holds up the farm, or the workers do.
double needed_by(const Times& times, double workers) {
    return std::max({times[0], times[2], (times[1] + times[3] + times[4]) / workers});
}

// Process by process: differences of a process that takes next to nothing do not count.
double most_different(const Times& one, const Times& other) {
    double most = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        const double larger = std::max(one[i], other[i]);
        if (larger >= 1) most = std::max(most, std::abs(one[i] - other[i]) / larger);
    }
    return most;
}

// Goes through the tasks in order.
class Reader {
public:
    Reader(const scenario::Scenario& scenario, std::uint32_t tasks, std::uint32_t places)
        : granularity_(std::max(1U, scenario.farm.granularity)),
          workers_(workers_of(scenario)),
          // a farm that divides nothing never splits, whatever its table says
          processes_(scenario.farm.divides() ? 5 : 3) {
        shape_.tasks = std::max(1U, tasks);
        const auto share = [&](double part) { return static_cast<std::uint32_t>(part * shape_.tasks); };
        first_ = share(0.30);
        last_ = std::max(first_ + 1, share(0.85));
        const std::uint64_t filling = std::uint64_t{places} * granularity_;
        end_ = filling < shape_.tasks ? shape_.tasks - static_cast<std::uint32_t>(filling) : 0;
    }

    TableShape read(const trek_kernel::TaskTable& table) {
        for (std::uint32_t task = 0; task < shape_.tasks; ++task) take(task, table.of(task));
        close_block();
        for (double& time : shape_.middle) time /= last_ - first_;
        for (double& time : shape_.all) time /= shape_.tasks;
        shape_.needed = needed_ / shape_.tasks;
        return shape_;
    }

private:
    // A farm may be held up by its workers for a while and then by its manager. The means of all tasks do not show that.
    static constexpr std::uint32_t of_a_block = 500;

    void take(std::uint32_t task, const trek_kernel::TaskDescription& description) {
        if (task % granularity_ == 0) bundle_ = 0;
        for (std::size_t i = 0; i < processes_; ++i) {
            const auto time = static_cast<double>(description.segments[i].time_us);
            shape_.all[i] += time;
            block_[i] += time;
            if (i > 0) bundle_ += time;
            if (task >= first_ && task < last_) shape_.middle[i] += time;
        }
        if (task >= end_) shape_.longest_at_end = std::max(shape_.longest_at_end, bundle_);
        if ((task + 1) % of_a_block == 0) close_block();
    }
    void close_block() {
        needed_ += needed_by(block_, workers_);
        block_ = {};
    }

    const std::uint32_t granularity_;
    const double workers_;
    const std::size_t processes_;
    std::uint32_t first_ = 0, last_ = 0, end_ = 0;
    TableShape shape_;
    Times block_{};
    double bundle_ = 0, needed_ = 0;
};

}  // namespace

TableShape table_shape(const scenario::Scenario& scenario, std::uint32_t tasks, std::uint32_t places) {
    return Reader(scenario, tasks, places).read(scenario.tasks);
}

double rate_difference(const TableShape& first, const TableShape& all) {
    return most_different(first.middle, all.middle);
}

double total_difference(const TableShape& first, const TableShape& all) {
    double most = most_different(first.all, all.all);
    if (all.needed <= 0) return most;
    most = std::max(most, std::abs(first.needed - all.needed) / std::max(first.needed, all.needed));
    // the farm runs empty for as long as the longest of its last tasks takes
    return std::max(most, std::abs(first.longest_at_end - all.longest_at_end) / (all.needed * all.tasks));
}

double seconds_of_rest(const TableShape& first, const TableShape& all, const scenario::Scenario& scenario, double rate) {
    const double workers = workers_of(scenario), interval = 1e6 / rate, steady = needed_by(first.middle, workers);
    const double tasks = all.tasks - first.tasks, needed = all.needed * all.tasks - first.needed * first.tasks;
    // The last one is counted as if all workers had a part in it.
    const double at_end = (all.longest_at_end - first.longest_at_end) * (1 - 1 / workers);
    return std::max(0.0, needed + tasks * std::max(0.0, interval - steady) + at_end) * 1e-6;
}

}  // namespace prediction
