// A stored study as tables: all points, groups of them, and two versions side by side.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sweeps/study_database.hpp>

namespace sweeps {

struct Selection {
    std::vector<std::pair<std::string, std::string>> only;  // axis and value
    std::string sort_by;                                    // a measure; empty: by number
    bool falling = false;                                   // the largest first
    std::size_t most = 0;                                   // rows; 0: all
};
// The rows that are wanted, in order. Throws vocabulary::RequestError for a name that is no axis or measure.
std::vector<PointRow> select(const StoredStudy& stored, const Selection& selection);

std::string table_text(const StoredStudy& stored, const std::vector<PointRow>& rows);
std::string table_csv(const StoredStudy& stored, const std::vector<PointRow>& rows);
std::string table_json(const StoredStudy& stored, const std::vector<PointRow>& rows);  // magicwire.study/1

// Mean of a measure over all other axes, with the least and the most where they differ. The rows are the values of `down`, the
// columns those of `across`, which may be empty. Throws as select().
std::string pivot_text(const StoredStudy& stored, const std::vector<PointRow>& rows, const std::string& down,
                       const std::string& across, const std::string& measure);

// Changes between two databases. Points that differ in the seed alone are a group. A measure has changed when the values
// of the two groups do not overlap. Points in one of the two only, and another number of failures, are changes, too. Throws
// vocabulary::RequestError when the two have no axis and measure in common.
struct Comparison {
    std::string text;
    bool changed = false;
};
Comparison compare(const StoredStudy& one, const StoredStudy& other);

}  // namespace sweeps
