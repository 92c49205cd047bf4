#include <sweeps/study_database.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include "axis_values.hpp"
#include "point_index.hpp"
#include "sqlite_file.hpp"
#include "stored_rows.hpp"

namespace sweeps {
namespace {

constexpr const char* tables = R"(
PRAGMA application_id = 1297568852;
CREATE TABLE study(name TEXT NOT NULL, base TEXT NOT NULL, version TEXT NOT NULL, points INTEGER NOT NULL);
CREATE TABLE axes(axis INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE measure_names(measure INTEGER PRIMARY KEY, name TEXT NOT NULL, source TEXT NOT NULL);
CREATE TABLE points(point INTEGER PRIMARY KEY, exit_code INTEGER NOT NULL, failure TEXT NOT NULL, run_hash TEXT NOT NULL,
                    inputs TEXT NOT NULL, repeat TEXT NOT NULL, stderr TEXT NOT NULL);
CREATE TABLE settings(point INTEGER, axis INTEGER, value TEXT NOT NULL, PRIMARY KEY(point, axis)) WITHOUT ROWID;
CREATE TABLE measures(point INTEGER, measure INTEGER, value, PRIMARY KEY(point, measure)) WITHOUT ROWID;
CREATE TABLE input_files(inputs TEXT, role TEXT, path TEXT, hash TEXT NOT NULL, PRIMARY KEY(inputs, role, path)) WITHOUT ROWID;
CREATE TABLE times(point INTEGER PRIMARY KEY, seconds REAL NOT NULL, processor_seconds REAL NOT NULL, host TEXT NOT NULL);
CREATE TABLE attempts(point INTEGER, attempt INTEGER, ended TEXT NOT NULL, PRIMARY KEY(point, attempt)) WITHOUT ROWID;
)";

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

// The lines of Study::base, each value in one spelling.
std::string spelt_alike(const std::string& base) {
    std::string all;
    for (std::size_t at = 0; at < base.size();) {
        const std::size_t end = std::min(base.find('\n', at), base.size()), equals = base.find('=', at);
        const std::string name = base.substr(at, std::min(equals, end) - at);
        all += name + '=' + (equals < end ? usual_spelling(name, base.substr(equals + 1, end - equals - 1)) : "") + '\n';
        at = end + 1;
    }
    return all;
}

// The statements that add a row, prepared once.
struct Additions {
    explicit Additions(SqliteFile& file)
        : point(file, "INSERT OR REPLACE INTO points VALUES(?, ?, ?, ?, ?, ?, ?)"),
          setting(file, "INSERT OR REPLACE INTO settings VALUES(?, ?, ?)"),
          measure(file, "INSERT OR REPLACE INTO measures VALUES(?, ?, ?)"),
          input(file, "INSERT OR IGNORE INTO input_files VALUES(?, ?, ?, ?)"),
          time(file, "INSERT OR REPLACE INTO times VALUES(?, ?, ?, ?)") {}
    Statement point, setting, measure, input, time;
};

}  // namespace

class StudyDatabase::File {
public:
    File(const std::string& path, const Study& study, const Points& points, const std::string& version, Failures failures)
        : study_(study),
          points_(points),
          version_(version),
          paths_(study.path),
          file_(path, SqliteFile::Use::Write),
          done_(points.size()) {
        // With synchronous = NORMAL a power cut may cost the last rows, and never the file.
        // A small cache: each fork() of a point copies the tables of this process's pages.
        file_.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -500; BEGIN EXCLUSIVE");
        if (is_empty(file_)) {
            begin_anew();
        } else {
            go_on(failures);
        }
        flush();
        additions_.emplace(file_);
    }

    void add(const PointRow& row) {
        const auto number = static_cast<std::int64_t>(row.number);
        const std::string inputs = add_inputs(row.inputs);
        additions_->point.bind(number)
            .bind(std::int64_t{row.exit_code})
            .bind(row.failure)
            .bind(row.run_hash)
            .bind(inputs)
            .bind(row.repeat)
            .bind(row.last_lines)
            .done();
        for (std::size_t axis = 0; axis < study_.axes.size(); ++axis)
            additions_->setting.bind(number)
                .bind(static_cast<std::int64_t>(axis))
                .bind(study_.axes[axis].values[points_.value_of(row.number - 1, axis)].given)
                .done();
        for (std::size_t i = 0; i < row.values.size(); ++i) add_value(number, i, row.values[i]);
        additions_->time.bind(number)
            .bind(row.seconds)
            .bind(row.processor_seconds)
            .bind(row.host.empty() ? host_ : row.host)
            .done();
        done_[row.number - 1] = true;
        if (!row.failure.empty()) ++failures_;
    }
    void add_attempt(std::size_t point, const std::string& how) {
        const auto number = static_cast<std::int64_t>(point + 1);
        Statement(file_, "INSERT INTO attempts SELECT ?1, 1 + count(*), ?2 FROM attempts WHERE point = ?1")
            .bind(number)
            .bind(how)
            .done();
    }
    std::size_t attempts() {
        Statement all(file_, "SELECT count(*) FROM attempts");
        return all.step() ? static_cast<std::size_t>(all.integer(0)) : 0;
    }
    void flush() { file_.run("COMMIT; BEGIN EXCLUSIVE"); }

    std::size_t take_from(const std::string& path) {
        SqliteFile part(path, SqliteFile::Use::Change);
        if (is_empty(part)) return 0;  // it was killed before its first row
        refuse_another_study(part);
        if (!is_made_alike(part))
            throw vocabulary::InputError({path, 0, 0},
                                         "was made by another program or with other measures; run that part again");
        const std::vector<std::string> axes = axes_of(part);
        std::size_t taken = 0;
        RowReader rows(part);
        while (auto row = rows.next()) {
            const auto index = index_of(row->number, key_of(axes, row->axis_values));
            if (!index || !holds(row->inputs)) continue;
            row->number = *index + 1;
            row->repeat = points_[*index].repeat;
            for (auto& input : row->inputs) input.path = paths_.from_here(input.path);
            add(*row);
            ++taken;
        }
        flush();
        return taken;
    }
    const std::vector<bool>& done() const { return done_; }
    std::size_t outdated() const { return outdated_; }
    std::size_t failures() const { return failures_; }

private:
    void begin_anew() {
        file_.run("DROP VIEW IF EXISTS results");
        for (const char* table :
             {"study", "axes", "measure_names", "points", "settings", "measures", "input_files", "times", "attempts"})
            file_.run(("DROP TABLE IF EXISTS " + std::string(table)).c_str());
        file_.run(tables);
        describe();
    }

    std::string add_inputs(std::vector<scenario::InputFile> inputs) {
        for (auto& input : inputs) input.path = paths_.from_study(input.path);
        std::string name = name_of_inputs(inputs);
        if (!known_inputs_.insert(name).second) return name;
        for (const auto& one : inputs) additions_->input.bind(name).bind(one.role).bind(one.path).bind(one.hash).done();
        return name;
    }
    void add_value(std::int64_t number, std::size_t which, const Value& value) {
        Statement& measure = additions_->measure.bind(number).bind(static_cast<std::int64_t>(which));
        if (value.is_text)
            measure.bind(value.text);
        else if (value.number)
            measure.bind(*value.number);
        else
            measure.bind_nothing();
        measure.done();
    }

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
    bool is_made_alike(SqliteFile& file) const {
        Statement stored(file, "SELECT base, version FROM study");
        return stored.step() && spelt_alike(stored.text(0)) == spelt_alike(study_.base) && stored.text(1) == version_ &&
               measures_are_the_same(file);
    }
    bool holds(const std::vector<scenario::InputFile>& inputs) {
        return std::all_of(inputs.begin(), inputs.end(),
                           [this](const scenario::InputFile& one) { return paths_.is_unchanged(one); });
    }
    // The point of a stored row. Mostly it has its number still.
    std::optional<std::size_t> index_of(std::size_t number, const std::string& key) {
        if (number >= 1 && number <= points_.size() && !done_[number - 1] && points_[number - 1].key == key) return number - 1;
        if (!index_) index_.emplace(points_);
        return index_->find(key, done_);
    }

    // A stored row, and its number from now on; 0: it does not hold.
    struct Move {
        std::uint32_t from, to;
    };
    std::vector<Move> moves(Failures failures) {
        std::vector<Move> all;
        if (!is_made_alike(file_)) {
            Statement good(file_, "SELECT count(*) FROM points WHERE failure = ''");
            outdated_ = good.step() ? static_cast<std::size_t>(good.integer(0)) : 0;
            return all;
        }
        const std::vector<std::string> axes = axes_of(file_);
        RowReader rows(file_);
        while (auto row = rows.next()) {
            all.push_back({static_cast<std::uint32_t>(row->number), 0});
            if (!row->failure.empty() && failures == Failures::RunAgain) continue;
            const auto index = index_of(row->number, key_of(axes, row->axis_values));
            if (index && holds(row->inputs)) {
                all.back().to = static_cast<std::uint32_t>(*index + 1);
                done_[*index] = true;
                if (!row->failure.empty()) ++failures_;
            } else if (row->failure.empty()) {
                ++outdated_;
            }
        }
        return all;
    }

    void go_on(Failures failures) {
        refuse_another_study(file_);
        const std::vector<Move> all = moves(failures);
        index_.reset();
        if (outdated_ > 0)
            std::filesystem::copy_file(file_.path(), file_.path() + ".before",
                                       std::filesystem::copy_options::overwrite_existing);
        if (all.empty()) return begin_anew();
        carry_out(all);
        file_.run(
            "DROP VIEW results; DELETE FROM study; DELETE FROM axes; DELETE FROM measure_names;"
            "DELETE FROM input_files WHERE inputs NOT IN (SELECT inputs FROM points)");
        describe();
    }

    // Numbers of rows that move are negative for a while, since another row may have them still.
    void carry_out(const std::vector<Move>& all) {
        const bool some_move = std::any_of(all.begin(), all.end(), [](Move one) { return one.to != 0 && one.to != one.from; }),
                   some_go = std::any_of(all.begin(), all.end(), [](Move one) { return one.to == 0; });
        if (some_move)
            file_.run("DELETE FROM attempts WHERE point NOT IN (SELECT point FROM points)");  // whose numbers may be others'
        for (const std::string table : {"points", "settings", "measures", "times", "attempts"}) {
            if (!some_move && !some_go) break;
            Statement drop(file_, ("DELETE FROM " + table + " WHERE point = ?").c_str());
            Statement move(file_, ("UPDATE " + table + " SET point = ? WHERE point = ?").c_str());
            for (const Move& one : all) {
                if (one.to == 0) drop.bind(std::int64_t{one.from}).done();
                if (one.to != 0 && one.to != one.from) move.bind(-std::int64_t{one.to}).bind(std::int64_t{one.from}).done();
            }
            file_.run(("UPDATE " + table + " SET point = -point WHERE point < 0").c_str());
        }
        // Axes may stand in another order, values may be spelt in another way, and the working folder may be another one.
        file_.run("DELETE FROM settings");
        Statement setting(file_, "INSERT INTO settings VALUES(?, ?, ?)");
        Statement repeat(file_, "UPDATE points SET repeat = ?1 WHERE point = ?2 AND repeat <> ?1");
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (!done_[i]) continue;
            const auto number = static_cast<std::int64_t>(i + 1);
            const Point point = points_[i];
            for (std::size_t axis = 0; axis < point.values.size(); ++axis)
                setting.bind(number).bind(static_cast<std::int64_t>(axis)).bind(point.values[axis]).done();
            repeat.bind(point.repeat).bind(number).done();
        }
    }

    const Study& study_;
    const Points& points_;
    const std::string version_, host_ = host_name();
    InputPaths paths_;
    SqliteFile file_;
    std::optional<Additions> additions_;
    std::optional<PointIndex> index_;
    std::set<std::string> known_inputs_;  // that are in the file
    std::vector<bool> done_;
    std::size_t outdated_ = 0, failures_ = 0;
};

StudyDatabase::StudyDatabase(const std::string& path, const Study& study, const Points& points, const std::string& version,
                             Failures failures)
    : file_(std::make_unique<File>(path, study, points, version, failures)) {}
StudyDatabase::~StudyDatabase() = default;
const std::vector<bool>& StudyDatabase::done() const {
    return file_->done();
}
std::size_t StudyDatabase::outdated() const {
    return file_->outdated();
}
std::size_t StudyDatabase::failures() const {
    return file_->failures();
}
void StudyDatabase::add(const PointRow& row) {
    file_->add(row);
}
std::size_t StudyDatabase::take_from(const std::string& path) {
    return file_->take_from(path);
}
void StudyDatabase::add_attempt(std::size_t point, const std::string& how) {
    file_->add_attempt(point, how);
}
std::size_t StudyDatabase::attempts() const {
    return file_->attempts();
}
void StudyDatabase::flush() {
    file_->flush();
}

}  // namespace sweeps
