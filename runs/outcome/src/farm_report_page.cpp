#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include <outcome/farm_report_views.hpp>
#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <vocabulary/source_position.hpp>

#include <oracle/farm_activity.hpp>
#include "farm_page.hpp"

namespace outcome {

using nlohmann::ordered_json;
using trek_kernel::UserProcess;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

// About 25 bytes each, so that either kind stays below 1.5 MB.
constexpr std::size_t most_work = 50'000, most_moves = 50'000;
// About 3 bytes each, twice where tasks are divided.
constexpr std::size_t most_shares = 200'000, fewest_bins = 40, most_bins = 1000;
constexpr std::size_t most_verdict_lines = 200, most_losses = 200, most_ranges = 20;

bool is_sent(const oracle::FarmReport& report, const trace_record::Event& event) {
    return event.kind == trace_record::EventKind::Send && event.node < report.config.nodes &&
           report.config.has(NodeId(event.node));
}

// The nodes' rows of the timeline, times in nanoseconds since the first task. Numbers are written as differences: they are
// shorter.
class Timeline {
public:
    Timeline(const oracle::FarmReport& report, const oracle::SessionResult& result) : report_(report), result_(result) {
        for (const oracle::FarmReport::Node& node : report.nodes) {
            index_[node.node.value()] = rows_.size();
            rows_.push_back({{"node", node.node.value()}});
        }
        each_work([&](const oracle::Work&) { ++pieces_; });
    }

    ordered_json json() {
        ordered_json json = {{"kind", "work"}, {"end", 0}, {"bin", 0}, {"moves", false}, {"note", ""}};
        if (!report_.phases.began) return json;
        json["end"] = std::max<std::int64_t>(1, since_first(report_.phases.end));
        std::string note;
        if (pieces_ <= most_work) {
            work();
            json["moves"] = moves(note);
        } else {
            json["kind"] = "bins";
            const std::int64_t bin = bins(json["end"].get<std::int64_t>());
            json["bin"] = bin;
            note = std::to_string(pieces_) +
                   " pieces of work are too many for one page, so each node's line shows, in bins of " +
                   std::to_string(bin / 1000) + " us, its share of busy time.";
        }
        json["note"] = note;
        json["rows"] = rows_;
        return json;
    }

private:
    // Work of the farm's nodes.
    void each_work(const std::function<void(const oracle::Work&)>& see) const {
        oracle::each_work(result_.truth, report_.phases.end, [&](const oracle::Work& work) {
            if (index_.count(work.node.value()) > 0) see(work);
        });
    }
    std::int64_t since_first(SimTime when) const { return (when - report_.phases.first_task).in_ns(); }
    ordered_json& row(std::size_t node) { return rows_[index_.at(node)]; }

    // [process, task, sub-task, gap, length, ...]; a length below 0: it never ended. The generator begins before its first task
    // leaves.
    void work() {
        std::vector<oracle::Work> by_begin;
        each_work([&](const oracle::Work& work) { by_begin.push_back(work); });
        std::stable_sort(by_begin.begin(), by_begin.end(),
                         [](const oracle::Work& a, const oracle::Work& b) { return a.begin < b.begin; });
        std::map<std::size_t, std::int64_t> last;
        for (const oracle::Work& work : by_begin) {
            const std::size_t node = work.node.value();
            const std::int64_t begin = since_first(work.begin), end = since_first(work.end);
            ordered_json& list = row(node)["work"];
            list.push_back(static_cast<int>(work.process));
            list.push_back(work.task);
            list.push_back(work.subtask);
            list.push_back(begin - last[node]);
            list.push_back(work.ended ? end - begin : -std::max<std::int64_t>(1, end - begin));
            last[node] = begin;
        }
    }

    // [gap, 1 for a result, task, to whom, ...]. False when there are too many.
    bool moves(std::string& note) {
        const auto& events = result_.truth.events();
        const auto sent =
            std::count_if(events.begin(), events.end(), [&](const auto& event) { return is_sent(report_, event); });
        if (static_cast<std::size_t>(sent) > most_moves) {
            note = std::to_string(sent) +
                   " tasks and results over links are too many for one page, so the timeline leaves them out; the "
                   "tables count them.";
            return false;
        }
        std::map<std::size_t, std::int64_t> last;
        for (const trace_record::Event& event : events) {
            if (!is_sent(report_, event)) continue;
            const std::int64_t when = since_first(SimTime::us(static_cast<std::int64_t>(event.time_us)));
            ordered_json& list = row(event.node)["moves"];
            list.push_back(when - last[event.node]);
            list.push_back(event.is_result);
            list.push_back(event.task);
            list.push_back(event.peer);
            last[event.node] = when;
        }
        return true;
    }

    // Per cent of each bin in which the node computed, and in which it split or joined. Gives the length of a bin in ns.
    std::int64_t bins(std::int64_t end) {
        const std::size_t each = std::clamp(most_shares / rows_.size(), fewest_bins, most_bins);
        const std::int64_t bin = end / static_cast<std::int64_t>(each) + 1;
        std::vector<std::vector<std::int64_t>> computed(rows_.size(), std::vector<std::int64_t>(each)), divided = computed;
        each_work([&](const oracle::Work& work) {
            if (work.process == UserProcess::Generate || work.process == UserProcess::PostProcess) return;
            auto& shares = (work.process == UserProcess::Compute ? computed : divided)[index_[work.node.value()]];
            const std::int64_t stop = std::min(end, since_first(work.end));
            for (std::int64_t at = std::max<std::int64_t>(0, since_first(work.begin)); at < stop;) {
                const std::int64_t i = at / bin, next = std::min(stop, (i + 1) * bin);
                shares[static_cast<std::size_t>(i)] += next - at;
                at = next;
            }
        });
        const auto per_cent = [&](const std::vector<std::int64_t>& times) {
            auto list = ordered_json::array();
            for (const std::int64_t time : times) list.push_back(std::min<std::int64_t>(100, (100 * time + bin / 2) / bin));
            return list;
        };
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            rows_[i]["bins"] = per_cent(computed[i]);
            if (report_.config.divides()) rows_[i]["divided"] = per_cent(divided[i]);
        }
        return bin;
    }

    const oracle::FarmReport& report_;
    const oracle::SessionResult& result_;
    std::size_t pieces_ = 0;                    // of work
    std::map<std::size_t, std::size_t> index_;  // by node
    std::vector<ordered_json> rows_;
};

ordered_json losses(const session::Observed& observed) {
    auto json = ordered_json::array();
    for (const tmon_streams::NodeStatistics& line : observed.statistics) {
        std::string text = tmon_streams::losses_text(line.losses, most_ranges);
        if (line.state == tmon_streams::StreamState::Open) text += std::string(text.empty() ? "" : ", ") + "open end";
        if (!text.empty() && json.size() < most_losses) json.push_back({{"node", line.node}, {"text", text}});
    }
    return json;
}

std::string first_lines(const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        if (count < most_verdict_lines) kept += line + "\n";
    }
    if (count > most_verdict_lines) kept += "... and " + std::to_string(count - most_verdict_lines) + " more lines\n";
    return kept;
}

void replace(std::string& text, const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
}

}  // namespace

std::string farm_report_page(const oracle::FarmReport& report, const oracle::SessionResult& result, const Manifest& manifest,
                             const std::string& verdict) {
    const ordered_json data = {{"report", farm_report_json(report)}, {"version", manifest.version},
                               {"repeat", manifest.repeat},          {"verdict", first_lines(verdict)},
                               {"losses", losses(result.observed)},  {"timeline", Timeline(report, result).json()}};
    std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    // Nothing in it may close the element that it lies in.
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
    std::string page = farm_page_html;
    replace(page, "@FIGURES@", farm_page_figures);
    replace(page, "@SCRIPT@", farm_page_script);
    replace(page, "@DATA@", safe);
    return page;
}

void write_farm_page(const std::string& path, const std::string& page) {
    text::write_text_file(path, page, text::Replace::Yes);
}

}  // namespace outcome
