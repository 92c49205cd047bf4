// Reading the file of a study (docs/formats/study_database.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sweeps/study_database.hpp>

#include "sqlite_file.hpp"

namespace sweeps {

inline constexpr std::int64_t database_id = 1297568852;  // PRAGMA application_id

bool is_empty(SqliteFile& file);       // no table yet
void refuse_others(SqliteFile& file);  // throws vocabulary::InputError for what is no database of a study
std::vector<std::string> axes_of(SqliteFile& file);

// The rows, by number, one at a time: so many points need no memory.
class RowReader {
public:
    explicit RowReader(SqliteFile& file);
    std::optional<PointRow> next();

private:
    std::map<std::string, std::vector<scenario::InputFile>> inputs_;  // by the name of the set
    Statement rows_, values_, settings_;
    bool has_value_, has_setting_;
};

}  // namespace sweeps
