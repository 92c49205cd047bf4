// A study: one scenario run at many points of a space of settings (docs/formats/study_file.md). The file says which points, and
// which values of each run are kept. Nothing here simulates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <scenario/settings.hpp>
#include <vocabulary/source_position.hpp>

namespace sweeps {

// A group of settings has its name in `text` and in `given`.
struct AxisValue {
    std::string text;   // as --set takes it here
    std::string given;  // in its usual spelling ("20" for "020", "1ms" for "1000us"), whatever the working folder
    vocabulary::SourcePosition where;
    std::vector<scenario::Setting> settings = {};  // of a group
};
// An axis of numbers of cases. It sets nothing: commands see its value as {number}.
inline constexpr const char* number_axis = "number";

// `name`: a setting or cost as --set takes it, `scenario` for the scenario's file, or number_axis.
struct Axis {
    std::string name;
    std::vector<AxisValue> values;  // at least one, all different
    vocabulary::SourcePosition where;
    bool is_template = false;  // the values are one text with its places filled in
    bool is_grouped = false;   // each value is a named group of settings; the axis has a name of the study's own
};

// How the axes make points. Product: every combination, the last axis changing first. Zip: the first values, the second ones,
// and so on. Random: each axis drawn by itself; a point depends on the seed and its number alone, so more points keep those
// before. Latin: as random, but every value of an axis comes equally often, give or take one. Another number of points draws
// all of them anew (Latin hypercube sampling: McKay, Beckman and Conover 1979).
enum class Combine : std::uint8_t { Product, Zip, Random, Latin };

// A program of the user's own that looks at each run. What it prints is JSON, in which the paths of measures begin with its
// name.
struct Command {
    std::string name;
    std::vector<std::string> words;  // the program and its arguments; see words_of() in point_command.hpp
    std::vector<std::string> files;  // paths, from the working folder; points run again when one of them changes
    vocabulary::SourcePosition where;
    bool may_be_silent = false;      // prints JSON, or nothing
    std::vector<std::string> serve;  // a program that stays and does the same for many points; empty: none
};

// A command that makes the scenario of each point, in a folder of its own.
struct Maker {
    Command command;
    std::string file;  // that it writes: the scenario, from that folder
};
inline constexpr const char* made_name = "made";  // what it prints, as the name of a command

// A value of a run that is kept: by its path in the run's documents, or computed from other measures.
struct Measure {
    std::string name;
    std::string path;        // "farm.tasks_per_s"; empty: derived
    std::string expression;  // "rate / nodes"
    vocabulary::SourcePosition where;
};

struct Study {
    std::string path, name;
    std::string base;      // scenario and settings as the file has them
    std::string scenario;  // path; empty: an axis has it, it is made, or there is no run
    std::optional<Maker> maker;
    bool runs = true;                         // false: commands alone look at the points
    std::vector<scenario::Setting> settings;  // of every point, before its own
    std::vector<Axis> axes;
    Combine combine = Combine::Product;
    std::size_t count = 0;                                   // of Random and Latin
    std::uint64_t seed = 1;                                  // likewise
    std::vector<std::vector<scenario::Setting>> exclusions;  // '*' in a value stands for any text
    std::vector<Command> commands;
    std::vector<Measure> measures;
    double seconds = 600;                           // of processor time that a point may take
    std::uint64_t memory = std::uint64_t{4} << 30;  // bytes that it may take
};

bool has_folder(const Study& study);  // a folder of its own for each point: {folder} is used

// Points are numbered from 1.
struct Point {
    std::string scenario;                     // path; empty: it is not run
    std::string number;                       // of the case; empty: the points have none
    std::string folder;                       // of the case: what {folder} stands for; empty: no command uses it
    std::vector<scenario::Setting> settings;  // the study's, then those of the axes in order
    std::vector<std::string> values;          // one for each axis
    std::string key;                          // its axes and values: names it within the study, whatever the working folder
    std::string repeat;                       // the command line that runs it alone
};

inline constexpr std::size_t most_points = 1'000'000;

// Throws vocabulary::InputError with file, line and column. Files that the study names are not read.
Study read_study(const std::string& path);
// True when the value is the pattern, in which '*' stands for any text.
bool is_like(const std::string& value, const std::string& pattern);
// As Point::key, for these values of these axes; the same in whatever order the axes are, and for each spelling of a value.
std::string key_of(const std::vector<std::string>& axes, const std::vector<std::string>& values);

// The points of a study, each made when it is asked for, since a process that holds little memory forks fast. Memory: 4 bytes
// a point and axis for drawn ones, 4 bytes a point where some are excluded, else none.
class Points {
public:
    using RepeatLine = std::string (*)(const Study& study, const Point& point);  // for Point::repeat

    // Keeps a reference to the study. Throws vocabulary::InputError at `axes` for more than most_points or for none. Cost:
    // linear in the points where they are drawn or some are excluded.
    explicit Points(const Study& study, RepeatLine repeat = nullptr);
    std::size_t size() const { return size_; }
    Point operator[](std::size_t index) const;                        // from 0. Cost: some microseconds
    std::size_t value_of(std::size_t index, std::size_t axis) const;  // index into Axis::values. Cost: some nanoseconds

private:
    std::size_t value_of_choice(std::size_t choice, std::size_t axis) const;  // as value_of(), before exclusions
    bool is_excluded(std::size_t choice) const;

    const Study& study_;
    RepeatLine repeat_;
    std::vector<std::uint32_t> drawn_;  // of Random and Latin: the value of each axis, point by point
    std::vector<std::uint32_t> kept_;   // of each point, if some are excluded
    std::size_t size_ = 0;
};

}  // namespace sweeps
