// Sweeps: the price of monitoring (overhead.hpp) for every combination of some settings, as a table and as curves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <vocabulary/sim_time.hpp>

namespace twin {

struct SweptSetting {
    std::string name;                 // as in --set
    std::vector<std::string> values;  // at least one
};
inline constexpr std::size_t most_sweep_points = 1000;

// Parses NAME=V1,V2,... A ';' among the values makes ';' the only separator: unload sequences have commas. Throws
// vocabulary::InputError.
SweptSetting parse_swept(const std::string& text);

// Every combination, the last setting changing first. Throws vocabulary::InputError for a repeated name and for more than
// most_sweep_points.
std::vector<std::vector<scenario::Setting>> sweep_points(const std::vector<SweptSetting>& swept);

// The values of a setting along an axis: numbers, times in milliseconds, or names at 0, 1, 2, ...
struct SweptAxis {
    std::string unit;  // " (ms)", or empty
    std::vector<double> places;
    bool names = false;
};
SweptAxis axis_of(const std::vector<std::string>& values);

// Figures of a point that was measured.
struct SweepFigures {
    // Time from the first task to the last common result; both 0: no common result.
    vocabulary::SimTime twin, monitored;
    std::uint64_t compared = 0, tasks = 0;   // common results; tasks of the farm
    std::uint64_t records = 0, dropped = 0;  // made; lost to full buffers
    std::uint64_t trace_bytes = 0;           // of the monitor, summed over all links
    std::uint64_t nodes_changed = 0;         // with another order or number of events
    bool twin_finished = false, monitored_finished = false;
};

struct SweepRow : SweepFigures {
    enum class State { NotRun, Measured, Failed };
    State state = State::NotRun;
    std::string failure;  // of Failed

    std::optional<double> slow_down_percent() const;  // empty: no common result
};

struct OverheadSweep {
    std::string scenario;
    std::vector<SweptSetting> swept;
    std::vector<std::vector<scenario::Setting>> points;  // from sweep_points()
    std::vector<SweepRow> rows;                          // one a point

    std::size_t count(SweepRow::State state) const;
};

// Runs each point in a process of its own, two at a time; the rows do not depend on their order of ending. `scenario_of`:
// called in that process. `go_on`: called often with the number of points done; false: kill the running points and skip the
// others. A point that fails is a row with the reason. Call before this process creates any SystemC object. Throws
// vocabulary::HostError when the host has no room for another process, and as sweep_points(). Cost: two runs a point.
OverheadSweep sweep_overhead(const std::string& name, const std::vector<SweptSetting>& swept,
                             const std::function<scenario::Scenario(const std::vector<scenario::Setting>&)>& scenario_of,
                             const std::function<bool(std::size_t)>& go_on);

std::string sweep_text(const OverheadSweep& sweep);
std::string sweep_csv(const OverheadSweep& sweep);
std::string sweep_json(const OverheadSweep& sweep);  // {"schema": "magicwire.overhead_sweep/1", ...}
// Draws slow-down, and lost records if there are any, over the first setting. One curve for each combination of the others.
// Throws as tmon_pictures::draw_curves() does.
void draw_sweep(const OverheadSweep& sweep, const std::string& path, bool replace);

}  // namespace twin
