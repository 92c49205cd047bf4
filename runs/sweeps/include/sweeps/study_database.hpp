// The results of a study, an SQLite file (docs/formats/study_database.md). All of it but the tables `times` and `attempts` is
// the same whichever engine, number of processes and interruptions made it, row by row. A row is there whole or not at all,
// whenever the process is killed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <sweeps/measures.hpp>
#include <sweeps/study.hpp>

namespace sweeps {

struct PointRow {
    std::size_t number = 0;                // from 1
    std::string repeat;                    // the command line that repeats it
    std::vector<std::string> axis_values;  // of a stored row
    int exit_code = 0;
    std::string failure;     // why there is no result; empty: it ran
    std::string last_lines;  // of a failed point's standard error
    std::string run_hash;
    std::vector<Value> values;                  // of the measures; empty when it failed
    std::vector<scenario::InputFile> inputs;    // what it has read
    double seconds = 0, processor_seconds = 0;  // of the host
    std::string host;
};

// Another process has the file open.
class DatabaseBusy : public vocabulary::InputError {
public:
    using InputError::InputError;
};

enum class Failures : std::uint8_t { RunAgain, Keep };  // what becomes of the stored failures of a study that goes on

class StudyDatabase {
public:
    // Opens or creates it, for this process alone. Throws DatabaseBusy when another process uses it, and vocabulary::InputError
    // for a file that is no database of a study or cannot be written. A full disk is a vocabulary::HostError, here and below;
    // rows up to the last flush() are in the file then. Keeps references to study and points. Cost: linear in the stored rows;
    // memory: 16 bytes a stored row for the time of the call.
    StudyDatabase(const std::string& path, const Study& study, const Points& points, const std::string& version,
                  Failures failures = Failures::RunAgain);
    ~StudyDatabase();
    StudyDatabase(const StudyDatabase&) = delete;
    StudyDatabase& operator=(const StudyDatabase&) = delete;

    // Rows that are there already and still hold: same values, measures and program, and no input file has changed. The others
    // have been removed. By point, from 0.
    const std::vector<bool>& done() const;
    // Rows that no longer held. If there are any, the file as it was is kept beside it, with `.before` at its end.
    std::size_t outdated() const;
    std::size_t failures() const;  // rows of points that have failed
    void add(const PointRow& row);
    // Notes that a job ended without a row of this point, from 0, and why.
    void add_attempt(std::size_t point, const std::string& how);
    std::size_t attempts() const;  // that are noted
    // Adds the rows of another database of this study that are missing here and still hold; returns their number. Throws as the
    // constructor.
    std::size_t take_from(const std::string& path);
    void flush();  // keeps what was added since the last time

private:
    class File;
    std::unique_ptr<File> file_;
};

// A stored study, for looking at it.
struct StoredStudy {
    std::string name, version;
    std::vector<std::string> axes, measures;
    std::vector<std::string> sources;  // of the measures: a path, or "=" and the expression
    std::vector<PointRow> rows;        // by number; those that are there
    std::size_t points = 0;            // of the whole study
};
StoredStudy read_database(const std::string& path);

}  // namespace sweeps
