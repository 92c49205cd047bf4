#include "stored_rows.hpp"

#include <filesystem>

#include <vocabulary/source_position.hpp>

namespace sweeps {
namespace {

std::int64_t id_of(SqliteFile& file) {
    Statement asked(file, "PRAGMA application_id");
    return asked.step() ? asked.integer(0) : 0;
}

std::map<std::string, std::vector<scenario::InputFile>> read_inputs(SqliteFile& file) {
    std::map<std::string, std::vector<scenario::InputFile>> all;
    Statement rows(file, "SELECT inputs, role, path, hash FROM input_files ORDER BY inputs, role, path");
    while (rows.step()) all[rows.text(0)].push_back({rows.text(1), rows.text(2), rows.text(3)});
    return all;
}

}  // namespace

bool is_empty(SqliteFile& file) {
    Statement asked(file, "SELECT count(*) FROM sqlite_master");
    return asked.step() && asked.integer(0) == 0;
}
void refuse_others(SqliteFile& file) {
    if (id_of(file) != database_id)
        throw vocabulary::InputError({file.path(), 0, 0}, "is no database of a study; name another file");
}

std::vector<std::string> axes_of(SqliteFile& file) {
    std::vector<std::string> names;
    Statement axes(file, "SELECT name FROM axes ORDER BY axis");
    while (axes.step()) names.push_back(axes.text(0));
    return names;
}

RowReader::RowReader(SqliteFile& file)
    : inputs_(read_inputs(file)),
      rows_(file,
            "SELECT point, exit_code, failure, run_hash, inputs, repeat, stderr, seconds, processor_seconds, host FROM points "
            "JOIN times USING(point) ORDER BY point"),
      values_(file, "SELECT point, value FROM measures ORDER BY point, measure"),
      settings_(file, "SELECT point, value FROM settings ORDER BY point, axis"),
      has_value_(values_.step()),
      has_setting_(settings_.step()) {}

std::optional<PointRow> RowReader::next() {
    if (!rows_.step()) return std::nullopt;
    PointRow row;
    row.number = static_cast<std::size_t>(rows_.integer(0));
    row.exit_code = static_cast<int>(rows_.integer(1));
    row.failure = rows_.text(2);
    row.run_hash = rows_.text(3);
    row.inputs = inputs_[rows_.text(4)];
    row.repeat = rows_.text(5);
    row.last_lines = rows_.text(6);
    row.seconds = rows_.real(7);
    row.processor_seconds = rows_.real(8);
    row.host = rows_.text(9);
    for (; has_value_ && values_.integer(0) <= rows_.integer(0); has_value_ = values_.step()) {
        if (values_.integer(0) < rows_.integer(0)) continue;
        Value value;
        value.is_text = values_.is_text(1);
        if (value.is_text) value.text = values_.text(1);
        if (!value.is_text && !values_.is_null(1)) value.number = values_.real(1);
        row.values.push_back(std::move(value));
    }
    for (; has_setting_ && settings_.integer(0) <= rows_.integer(0); has_setting_ = settings_.step())
        if (settings_.integer(0) == rows_.integer(0)) row.axis_values.push_back(settings_.text(1));
    return row;
}

StoredStudy read_database(const std::string& path) {
    if (!std::filesystem::is_regular_file(path))
        throw vocabulary::InputError({path, 0, 0}, "there is no such file; 'magicwire study FILE.yaml' makes one");
    SqliteFile file(path, SqliteFile::Use::Read);
    refuse_others(file);
    StoredStudy stored;
    Statement study(file, "SELECT name, version, points FROM study");
    if (study.step()) {
        stored.name = study.text(0);
        stored.version = study.text(1);
        stored.points = static_cast<std::size_t>(study.integer(2));
    }
    stored.axes = axes_of(file);
    Statement measures(file, "SELECT name, source FROM measure_names ORDER BY measure");
    while (measures.step()) {
        stored.measures.push_back(measures.text(0));
        stored.sources.push_back(measures.text(1));
    }
    RowReader rows(file);
    while (auto row = rows.next()) stored.rows.push_back(std::move(*row));
    return stored;
}

}  // namespace sweeps
