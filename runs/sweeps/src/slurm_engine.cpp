#include <sweeps/slurm_engine.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <xxhash.h>

#include <sweeps/point_lists.hpp>
#include <text/shell_words.hpp>
#include <vocabulary/errors.hpp>

#include "slurm_commands.hpp"
#include "slurm_state.hpp"

namespace sweeps {
namespace {

namespace fs = std::filesystem;
using vocabulary::RequestError;

constexpr std::size_t most_of_array = 1000;  // Slurm's MaxArraySize is 1001 unless a cluster says otherwise
constexpr int most_kills = 5;                // of jobs, while they ran one point
constexpr std::size_t most_vain_rounds = 2;
constexpr int most_late_looks = 10;  // at a file that another node has just written, or uses still

std::string state_file(const std::string& out) {
    return out + ".parts/slurm.json";
}

// The last lines of a job's output, indented.
std::string last_lines(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
        if (lines.size() > 5) lines.erase(lines.begin());
    }
    std::string text;
    for (const std::string& line : lines) text += "\n    " + line;
    return text;
}

class Session {
public:
    Session(const SlurmEngine& engine, const Points& points, StudyDatabase& database)
        : engine_(engine), points_(points), database_(database), state_(SlurmState::read(state_file(engine.out))) {}

    SlurmResult run() {
        adopt();
        for (;;) {
            if (!state_.arrays.empty()) {
                if (const auto end = follow()) return {*end, state_.jobs()};
                if (account()) return {SlurmEnd::Cancelled, {}};
            }
            collect_parts(engine_.out, database_);
            if (!submit_what_is_missing()) return {};
            if (!engine_.wait) return {SlurmEnd::Submitted, state_.jobs()};
        }
    }

private:
    std::string name_of(std::size_t array) const {
        const std::string place = fs::absolute(engine_.out).lexically_normal().string();
        return fmt::format("magicwire-{:016x}-{}-{}", XXH3_64bits(place.data(), place.size()), state_.round, array);
    }
    std::string file(const SlurmState::Array& array, std::size_t index, const char* ending) const {
        return fmt::format("{}.parts/{}-{}{}", engine_.out, array.job, index, ending);
    }
    void save() const { state_.write(state_file(engine_.out)); }

    // Jobs that were submitted just before the last call was killed.
    void adopt() {
        for (std::size_t i = 0; i < state_.arrays.size(); ++i)
            if (state_.arrays[i].job.empty()) state_.arrays[i].job = job_named(name_of(i));
        std::erase_if(state_.arrays, [](const SlurmState::Array& array) { return array.job.empty(); });
        if (state_.arrays.empty() || state_.fingerprint == engine_.fingerprint) return;
        const auto states = states_of(state_.jobs());
        if (!states || std::any_of(states->begin(), states->end(), [](const JobState& one) { return !one.has_ended(); }))
            throw RequestError(
                fmt::format("jobs of this study as it was before are under way still, {0}; wait for them, or give "
                            "'scancel {0}', and then the same command again",
                            fmt::join(state_.jobs(), " ")));
        state_ = {};
    }

    // Collects what jobs have done until all have ended. A value: why it has returned before that.
    std::optional<SlurmEnd> follow() {
        std::chrono::milliseconds pause(200);
        for (;;) {
            const std::size_t waiting = look();
            if (waiting == 0) return std::nullopt;
            if (!engine_.wait) return SlurmEnd::Submitted;
            for (auto slept = pause; slept.count() > 0; slept -= std::chrono::milliseconds(100)) {
                if (!engine_.go_on(progress_)) return SlurmEnd::Interrupted;
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
            pause = std::min(pause * 3 / 2, std::chrono::milliseconds(5000));
        }
    }

    // One look at Slurm. Returns how many jobs have not ended.
    std::size_t look() {
        const auto states = states_of(state_.jobs());
        if (!states) {
            progress_ = "Slurm does not answer";
            return 1;
        }
        std::map<std::pair<std::string, std::size_t>, JobState> known;
        for (const JobState& one : *states) known[{one.job, one.index}] = one;
        std::size_t running = 0, waiting = 0, late = 0;
        std::string reason;
        for (std::size_t a = 0; a < state_.arrays.size(); ++a) {
            const SlurmState::Array& array = state_.arrays[a];
            for (std::size_t index = 0; index < array.count; ++index) {
                const auto found = known.find({array.job, index});
                if (found != known.end()) ends_[{a, index}] = found->second.state;
                if (found == known.end() || found->second.has_ended()) {
                    if (!collect(array, index, ends_[{a, index}] == "COMPLETED") && late_looks_ < most_late_looks) ++late;
                    continue;
                }
                const bool is_waiting = found->second.state == "PENDING";
                ++(is_waiting ? waiting : running);
                if (is_waiting) reason = found->second.reason;
            }
        }
        progress_ = fmt::format("jobs: {} running, {} waiting{}", running, waiting, reason.empty() ? "" : " (" + reason + ")");
        if (late > 0) ++late_looks_;
        return running + waiting + late;
    }

    // False: its file is not there yet, or is in use.
    bool collect(const SlurmState::Array& array, std::size_t index, bool is_complete) {
        const std::string name = array.job + '-' + std::to_string(index), part = file(array, index, ".db");
        if (collected_.count(name) > 0) return true;
        if (!fs::is_regular_file(part)) return !is_complete;
        try {
            rows_ += database_.take_from(part);
        } catch (const DatabaseBusy&) {
            return false;
        } catch (const vocabulary::InputError& error) {
            engine_.tell(error.what());  // another program, or another state of the files
        }
        for (const char* ending : {"", "-journal"}) fs::remove(part + ending);
        collected_.insert(name);
        return true;
    }

    // All jobs of the round have ended: what is missing, and why? True: somebody has cancelled it.
    bool account() {
        const std::vector<std::string> lists = read_chunks();
        std::string last;
        bool is_cancelled = false;
        std::size_t suspects = 0;
        for (std::size_t a = 0; a < state_.arrays.size(); ++a) {
            const SlurmState::Array& array = state_.arrays[a];
            for (std::size_t index = 0; index < array.count && array.first + index < lists.size(); ++index) {
                const std::string state = ends_.count({a, index}) > 0 ? ends_[{a, index}] : "unknown";
                const auto under_way = UnderWay::left(file(array, index, ".running")).value_or(std::vector<std::size_t>());
                const auto wanted = points_of_list(lists[array.first + index]);
                if (!std::all_of(wanted.begin(), wanted.end(), [&](std::size_t i) { return database_.done()[i]; })) {
                    last = fmt::format("{}_{} ({}){}", array.job, index, state, last_lines(file(array, index, ".log")));
                    is_cancelled = is_cancelled || state == "CANCELLED";
                    note_attempts(wanted, under_way,
                                  fmt::format("job {}_{} ended as {}", array.job, index,
                                              state == "unknown" ? "one that Slurm does not know any more" : state));
                }
                suspects += add_kills(under_way, state);
                for (const char* ending : {".running", ".log"}) fs::remove(file(array, index, ending));
            }
        }
        fs::remove(state_.chunks);
        state_.vain_rounds = rows_ > 0 || suspects > 0 || last.empty() ? 0 : state_.vain_rounds + 1;
        state_.arrays.clear();
        const bool is_vain = state_.vain_rounds >= most_vain_rounds;
        if (is_vain) state_.vain_rounds = 0;
        database_.flush();
        save();
        if (is_vain && !is_cancelled)
            throw RequestError(
                "jobs end without a result; do all nodes have this folder and the program, and room on the disk? The last job "
                "was " +
                last);
        return is_cancelled;
    }
    std::vector<std::string> read_chunks() const {
        std::ifstream file(state_.chunks);
        std::vector<std::string> lists;
        std::string line;
        std::getline(file, line);  // the fingerprint
        while (std::getline(file, line)) lists.push_back(line);
        return lists;
    }

    // A job that has ended before all its points: its node may be gone, or the job was killed. They run again.
    void note_attempts(const std::vector<std::size_t>& wanted, const std::vector<std::size_t>& under_way,
                       const std::string& how) {
        std::size_t missing = 0;
        for (const std::size_t point : wanted) {
            if (point >= points_.size() || database_.done()[point]) continue;
            const bool is_begun = std::find(under_way.begin(), under_way.end(), point) != under_way.end();
            database_.add_attempt(point, how + (is_begun ? " while the point ran" : " before the point ran"));
            ++missing;
        }
        if (missing > 0) engine_.tell(fmt::format("{}; {} of its points have no row and run again", how, missing));
    }

    // The points that a killed job had under way. Returns how many there are.
    std::size_t add_kills(const std::vector<std::size_t>& under_way, const std::string& state) {
        std::size_t count = 0;
        for (const std::size_t point : under_way) {
            if (point >= points_.size() || database_.done()[point]) continue;
            add_kill(point, state);
            ++count;
        }
        return count;
    }

    void add_kill(std::size_t point, const std::string& state) {
        const int times = ++state_.killed[point];
        if (times < most_kills) return;
        PointRow row;
        row.number = point + 1;
        row.repeat = points_[point].repeat;
        row.exit_code = 71;  // the host lacks something (docs/formats/command_line.md)
        row.failure = fmt::format(
            "its job was killed {} times while it ran, at last as {}; give jobs more memory or time, as "
            "--sbatch '--mem=4G'",
            times, state);
        engine_.tell(row.failure);
        database_.add(row);
        state_.killed.erase(point);
    }

    // Points whose jobs were killed run alone, so that no other one suffers.
    std::vector<std::vector<std::size_t>> chunks() const {
        std::vector<std::vector<std::size_t>> all, alone;
        std::vector<std::size_t> chunk;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (database_.done()[i]) continue;
            if (state_.killed.count(i) > 0) {
                alone.push_back({i});
                continue;
            }
            chunk.push_back(i);
            if (chunk.size() < engine_.chunk) continue;
            all.push_back(std::move(chunk));
            chunk.clear();
        }
        if (!chunk.empty()) all.push_back(std::move(chunk));
        all.insert(all.end(), std::make_move_iterator(alone.begin()), std::make_move_iterator(alone.end()));
        return all;
    }

    // False: nothing is missing.
    bool submit_what_is_missing() {
        const auto all = chunks();
        if (all.empty()) return false;
        ends_.clear();
        collected_.clear();
        rows_ = 0;
        late_looks_ = 0;
        ++state_.round;
        state_.fingerprint = engine_.fingerprint;
        state_.chunks = parts_file(engine_.out, fmt::format("chunks-{}", state_.round));
        write_chunks(all);
        const std::string script = write_script();
        for (std::size_t first = 0; first < all.size(); first += most_of_array)
            state_.arrays.push_back({"", first, std::min(most_of_array, all.size() - first)});
        save();  // before the jobs are there, so that no job is unknown
        for (std::size_t i = 0; i < state_.arrays.size(); ++i) {
            SlurmState::Array& array = state_.arrays[i];
            std::vector<std::string> options{fmt::format("--array=0-{}", array.count - 1), "--job-name=" + name_of(i),
                                             fmt::format("--output={}.parts/%A-%a.log", engine_.out), "--ntasks=1"};
            options.insert(options.end(), engine_.sbatch.begin(), engine_.sbatch.end());
            try {
                array.job = submit(options, script, std::to_string(array.first));
            } catch (...) {
                std::erase_if(state_.arrays, [](const SlurmState::Array& one) { return one.job.empty(); });
                save();
                throw;
            }
            save();
        }
        return true;
    }

    void write_chunks(const std::vector<std::vector<std::size_t>>& all) const {
        std::ofstream file(state_.chunks);
        file << engine_.fingerprint << '\n';
        for (const auto& chunk : all) file << list_text(chunk) << '\n';
        file.close();
        if (!file) throw vocabulary::HostError({state_.chunks, 0, 0}, "cannot be written; is the disk full?");
    }
    std::string write_script() const {
        const std::string path = parts_file(engine_.out, "job.sh");
        std::ofstream file(path);
        file << "#!/bin/sh\n# One job of an array: a chunk of the study's points. $1 is the first chunk of the array.\n"
             << "exec " << engine_.command << ' ' << engine_.part_option << " \"$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\" "
             << engine_.chunk_option << ' ' << text::shell_word(state_.chunks) << ":$(($1 + SLURM_ARRAY_TASK_ID))\n";
        file.close();
        if (!file) throw vocabulary::HostError({path, 0, 0}, "cannot be written; is the disk full?");
        return path;
    }

    const SlurmEngine& engine_;
    const Points& points_;
    StudyDatabase& database_;
    SlurmState state_;
    std::map<std::pair<std::size_t, std::size_t>, std::string> ends_;  // last state of each array's jobs
    std::set<std::string> collected_;
    std::size_t rows_ = 0;  // of this round
    int late_looks_ = 0;
    std::string progress_;
};

}  // namespace

SlurmResult SlurmEngine::run(const Points& points, StudyDatabase& database) const {
    return Session(*this, points, database).run();
}

bool SlurmEngine::is_under_way(const std::string& out) {
    return !SlurmState::read(state_file(out)).arrays.empty();
}

}  // namespace sweeps
