#include <sweeps/study_database.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <topologies/cost_table.hpp>

#include "sqlite_file.hpp"

namespace sweeps {
namespace {

constexpr const char* tables = R"(
PRAGMA application_id = 1297568852;
CREATE TABLE study(name TEXT NOT NULL, base TEXT NOT NULL, version TEXT NOT NULL, points INTEGER NOT NULL);
CREATE TABLE axes(axis INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE measure_names(measure INTEGER PRIMARY KEY, name TEXT NOT NULL, source TEXT NOT NULL);
CREATE TABLE points(point INTEGER PRIMARY KEY, exit_code INTEGER NOT NULL, failure TEXT NOT NULL, run_hash TEXT NOT NULL,
                    inputs TEXT NOT NULL, repeat TEXT NOT NULL);
CREATE TABLE settings(point INTEGER, axis INTEGER, value TEXT NOT NULL, PRIMARY KEY(point, axis)) WITHOUT ROWID;
CREATE TABLE measures(point INTEGER, measure INTEGER, value, PRIMARY KEY(point, measure)) WITHOUT ROWID;
CREATE TABLE input_files(inputs TEXT, role TEXT, path TEXT, hash TEXT NOT NULL, PRIMARY KEY(inputs, role, path)) WITHOUT ROWID;
CREATE TABLE times(point INTEGER PRIMARY KEY, seconds REAL NOT NULL, processor_seconds REAL NOT NULL, host TEXT NOT NULL);
)";
constexpr std::int64_t our_id = 1297568852;

std::string source_of(const Measure& measure) {
    return measure.expression.empty() ? measure.path : "=" + measure.expression;
}

// The same for the same files, in whatever order.
std::string name_of_inputs(std::vector<scenario::InputFile> inputs) {
    std::sort(inputs.begin(), inputs.end(),
              [](const auto& a, const auto& b) { return std::tie(a.role, a.path) < std::tie(b.role, b.path); });
    std::string all;
    for (const auto& one : inputs) all += one.role + '\n' + one.path + '\n' + one.hash + '\n';
    return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

std::int64_t id_of(SqliteFile& file) {
    Statement asked(file, "PRAGMA application_id");
    return asked.step() ? asked.integer(0) : 0;
}
bool is_empty(SqliteFile& file) {
    Statement asked(file, "SELECT count(*) FROM sqlite_master");
    return asked.step() && asked.integer(0) == 0;
}
void refuse_others(SqliteFile& file) {
    if (id_of(file) != our_id)
        throw vocabulary::InputError({file.path(), 0, 0}, "is no database of a study; name another file");
}

std::map<std::string, std::vector<scenario::InputFile>> read_inputs(SqliteFile& file) {
    std::map<std::string, std::vector<scenario::InputFile>> all;
    Statement rows(file, "SELECT inputs, role, path, hash FROM input_files ORDER BY inputs, role, path");
    while (rows.step()) all[rows.text(0)].push_back({rows.text(1), rows.text(2), rows.text(3)});
    return all;
}

std::vector<std::string> axes_of(SqliteFile& file) {
    std::vector<std::string> names;
    Statement axes(file, "SELECT name FROM axes ORDER BY axis");
    while (axes.step()) names.push_back(axes.text(0));
    return names;
}

std::vector<PointRow> read_rows(SqliteFile& file) {
    std::vector<PointRow> all;
    auto inputs = read_inputs(file);
    Statement rows(
        file,
        "SELECT point, exit_code, failure, run_hash, inputs, repeat, seconds, processor_seconds, host FROM points JOIN times "
        "USING(point) ORDER BY point");
    while (rows.step()) {
        PointRow row;
        row.number = static_cast<std::size_t>(rows.integer(0));
        row.exit_code = static_cast<int>(rows.integer(1));
        row.failure = rows.text(2);
        row.run_hash = rows.text(3);
        row.inputs = inputs[rows.text(4)];
        row.repeat = rows.text(5);
        row.seconds = rows.real(6);
        row.processor_seconds = rows.real(7);
        row.host = rows.text(8);
        all.push_back(std::move(row));
    }
    Statement values(file, "SELECT point, value FROM measures ORDER BY point, measure");
    for (auto row = all.begin(); values.step();) {
        while (row != all.end() && row->number < static_cast<std::size_t>(values.integer(0))) ++row;
        if (row == all.end()) break;
        Value value;
        value.is_text = values.is_text(1);
        if (value.is_text) value.text = values.text(1);
        if (!value.is_text && !values.is_null(1)) value.number = values.real(1);
        row->values.push_back(std::move(value));
    }
    Statement settings(file, "SELECT point, value FROM settings ORDER BY point, axis");
    for (auto row = all.begin(); settings.step();) {
        while (row != all.end() && row->number < static_cast<std::size_t>(settings.integer(0))) ++row;
        if (row == all.end()) break;
        row->axis_values.push_back(settings.text(1));
    }
    return all;
}

std::string as_column(const std::string& name) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace

class StudyDatabase::Parts {
public:
    Parts(const std::string& path, const Study& study, const std::vector<Point>& points, const std::string& version)
        : study_(study), points_(points), version_(version), file_(path, SqliteFile::Use::Write), done_(points.size()) {
        file_.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
        if (is_empty(file_)) {
            begin_anew({});
        } else {
            go_on();
        }
        flush();
    }

    void begin_anew(const std::vector<PointRow>& kept) {
        file_.run("DROP VIEW IF EXISTS results");
        for (const char* table : {"study", "axes", "measure_names", "points", "settings", "measures", "input_files", "times"})
            file_.run(("DROP TABLE IF EXISTS " + std::string(table)).c_str());
        file_.run(tables);
        describe();
        for (const PointRow& row : kept) add(row);
    }

    void add(PointRow row) {
        const auto number = static_cast<std::int64_t>(row.number);
        for (auto& input : row.inputs) input.path = from_study(input.path);
        const std::string inputs = name_of_inputs(row.inputs);
        Statement point(file_, "INSERT OR REPLACE INTO points VALUES(?, ?, ?, ?, ?, ?)");
        point.bind(number)
            .bind(std::int64_t{row.exit_code})
            .bind(row.failure)
            .bind(row.run_hash)
            .bind(inputs)
            .bind(row.repeat)
            .done();
        const std::vector<std::string>& axes = points_[row.number - 1].values;
        Statement setting(file_, "INSERT OR REPLACE INTO settings VALUES(?, ?, ?)");
        for (std::size_t i = 0; i < axes.size(); ++i)
            setting.bind(number).bind(static_cast<std::int64_t>(i)).bind(axes[i]).done();
        Statement measure(file_, "INSERT OR REPLACE INTO measures VALUES(?, ?, ?)");
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            const Value& value = row.values[i];
            measure.bind(number).bind(static_cast<std::int64_t>(i));
            if (value.is_text)
                measure.bind(value.text);
            else if (value.number)
                measure.bind(*value.number);
            else
                measure.bind_nothing();
            measure.done();
        }
        Statement input(file_, "INSERT OR IGNORE INTO input_files VALUES(?, ?, ?, ?)");
        for (const auto& one : row.inputs) input.bind(inputs).bind(one.role).bind(one.path).bind(one.hash).done();
        Statement time(file_, "INSERT OR REPLACE INTO times VALUES(?, ?, ?, ?)");
        time.bind(number).bind(row.seconds).bind(row.processor_seconds).bind(row.host.empty() ? host_ : row.host).done();
        done_[row.number - 1] = true;
    }
    void flush() { file_.run("COMMIT; BEGIN EXCLUSIVE"); }

    std::size_t take_from(const std::string& path) {
        SqliteFile part(path, SqliteFile::Use::Read);
        refuse_another_study(part);
        if (!is_made_alike(part))
            throw vocabulary::InputError({path, 0, 0},
                                         "was made by another program or with other measures; run that part again");
        const std::vector<PointRow> rows = holding(part, read_rows(part), true);
        for (const PointRow& row : rows) add(row);
        flush();
        return rows.size();
    }
    const std::vector<bool>& done() const { return done_; }
    std::size_t outdated() const { return outdated_; }

private:
    void describe() {
        Statement study(file_, "INSERT INTO study VALUES(?, ?, ?, ?)");
        study.bind(study_.name).bind(study_.base).bind(version_).bind(static_cast<std::int64_t>(points_.size())).done();
        std::string view = "CREATE VIEW results AS SELECT point";
        Statement axis(file_, "INSERT INTO axes VALUES(?, ?)");
        for (std::size_t i = 0; i < study_.axes.size(); ++i) {
            axis.bind(static_cast<std::int64_t>(i)).bind(study_.axes[i].name).done();
            view += fmt::format(", (SELECT value FROM settings s WHERE s.point = p.point AND axis = {}) AS {}", i,
                                as_column(study_.axes[i].name));
        }
        Statement measure(file_, "INSERT INTO measure_names VALUES(?, ?, ?)");
        for (std::size_t i = 0; i < study_.measures.size(); ++i) {
            measure.bind(static_cast<std::int64_t>(i)).bind(study_.measures[i].name).bind(source_of(study_.measures[i])).done();
            view += fmt::format(", (SELECT value FROM measures m WHERE m.point = p.point AND measure = {}) AS {}", i,
                                as_column(study_.measures[i].name));
        }
        file_.run((view + ", exit_code, failure, repeat FROM points p").c_str());
    }

    bool measures_are_the_same(SqliteFile& file) const {
        Statement stored(file, "SELECT name, source FROM measure_names ORDER BY measure");
        std::size_t count = 0;
        for (; stored.step(); ++count) {
            if (count >= study_.measures.size()) return false;
            const Measure& its = study_.measures[count];
            if (stored.text(0) != its.name || stored.text(1) != source_of(its)) return false;
        }
        return count == study_.measures.size();
    }

    void refuse_another_study(SqliteFile& file) const {
        refuse_others(file);
        Statement stored(file, "SELECT name FROM study");
        if (!stored.step()) file.fail("is no database of a study");
        if (stored.text(0) != study_.name)
            throw vocabulary::InputError({file.path(), 0, 0}, fmt::format("holds the study '{}', not '{}'; name another file",
                                                                          stored.text(0), study_.name));
    }
    // Files have names as seen from the study's folder, so the working folder does not matter.
    std::filesystem::path folder() const { return std::filesystem::path(study_.path).parent_path(); }
    std::string from_study(const std::string& path) const {
        const std::filesystem::path one(path);
        if (one.is_absolute() || folder().is_absolute() || !std::filesystem::is_regular_file(one)) return path;
        return std::filesystem::relative(one, folder().empty() ? "." : folder()).string();
    }

    std::string version_of(SqliteFile& file) const {
        Statement stored(file, "SELECT version FROM study");
        return stored.step() ? stored.text(0) : std::string();
    }

    // The rows of a database that hold for this study, with the numbers of this study that are not taken yet.
    std::vector<PointRow> holding(SqliteFile& file, std::vector<PointRow> rows, bool with_failures) const {
        std::vector<PointRow> kept;
        std::multimap<std::string, std::size_t> numbers;
        for (std::size_t i = points_.size(); i-- > 0;)
            if (!done_[i]) numbers.emplace(points_[i].key, i + 1);
        std::map<std::string, std::string> hashes;
        const auto is_unchanged = [&](const scenario::InputFile& input) {
            const auto [place, is_new] = hashes.try_emplace(input.path);
            const std::string path = (folder() / input.path).string();
            if (is_new && std::filesystem::is_regular_file(path)) place->second = scenario::content_hash(path);
            // A shape ("ring:16") or the program's own cost table: the program has been compared.
            const bool is_own = place->second.empty() &&
                                (input.path.find(':') != std::string::npos || input.path == topologies::t800_costs_name);
            return is_own || place->second == input.hash;
        };
        const std::vector<std::string> axes = axes_of(file);
        for (PointRow& row : rows) {
            if (!row.failure.empty() && !with_failures) continue;
            // Several points may have the same values; the first of them was added last.
            auto number = numbers.end();
            for (auto [at, end] = numbers.equal_range(key_of(axes, row.axis_values)); at != end; ++at) number = at;
            if (number == numbers.end() || !std::all_of(row.inputs.begin(), row.inputs.end(), is_unchanged)) continue;
            row.number = number->second;
            row.repeat = points_[row.number - 1].repeat;
            for (auto& input : row.inputs) input.path = seen_from_here(input.path);
            numbers.erase(number);
            kept.push_back(std::move(row));
        }
        return kept;
    }
    std::string seen_from_here(const std::string& path) const {
        const std::filesystem::path here = (folder() / path).lexically_normal();
        return std::filesystem::is_regular_file(here) ? here.string() : path;
    }

    bool is_made_alike(SqliteFile& file) const {
        Statement stored(file, "SELECT base FROM study");
        return stored.step() && stored.text(0) == study_.base && version_of(file) == version_ && measures_are_the_same(file);
    }

    void go_on() {
        refuse_another_study(file_);
        std::vector<PointRow> rows = read_rows(file_);
        const auto good = static_cast<std::size_t>(
            std::count_if(rows.begin(), rows.end(), [](const PointRow& row) { return row.failure.empty(); }));
        const std::vector<PointRow> kept =
            is_made_alike(file_) ? holding(file_, std::move(rows), false) : std::vector<PointRow>();
        outdated_ = good - kept.size();
        if (outdated_ > 0)
            std::filesystem::copy_file(file_.path(), file_.path() + ".before",
                                       std::filesystem::copy_options::overwrite_existing);
        begin_anew(kept);
    }

    const Study& study_;
    const std::vector<Point>& points_;
    const std::string version_, host_ = host_name();
    SqliteFile file_;
    std::vector<bool> done_;
    std::size_t outdated_ = 0;
};

StudyDatabase::StudyDatabase(const std::string& path, const Study& study, const std::vector<Point>& points,
                             const std::string& version)
    : parts_(std::make_unique<Parts>(path, study, points, version)) {}
StudyDatabase::~StudyDatabase() = default;
const std::vector<bool>& StudyDatabase::done() const {
    return parts_->done();
}
std::size_t StudyDatabase::outdated() const {
    return parts_->outdated();
}
void StudyDatabase::add(const PointRow& row) {
    parts_->add(row);
}
std::size_t StudyDatabase::take_from(const std::string& path) {
    return parts_->take_from(path);
}
void StudyDatabase::flush() {
    parts_->flush();
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
    stored.rows = read_rows(file);
    return stored;
}

}  // namespace sweeps
