// Figures of 'magicwire top' from two samples of a session, as rows of text and as JSON, independent of the terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <session/live_sample.hpp>
#include <tmon_detrek/verdict.hpp>
#include <topologies/machine_description.hpp>

#include "top/records_view.hpp"

namespace cli {

// The time between two samples of the same run.
struct TopInterval {
    const topologies::MachineDescription& machine;  // for names
    std::string name;                               // of the scenario
    session::LiveSample before, now;
    std::optional<tmon_detrek::Verdict> verdict{};  // of the records so far; empty: not monitored, or the run is over
    std::optional<RecordsSeen> records{};           // with --by-records: what they tell, beside the truth
    double wall_speed = 0;  // modelled seconds a second of wall time; the only figure that varies between equal runs

    double seconds() const { return (now.time - before.time).in_seconds(); }
};

enum class TopStyle { Plain, Head, Program, Monitor, Idle, Alarm };
struct TopSpan {
    TopStyle style = TopStyle::Plain;
    std::string text;
};
using TopRow = std::vector<TopSpan>;

// The whole picture in at most `height` rows of `width` columns. Rows without room are counted in a row of their own.
// `skipped`: number of rows scrolled away at the top of the tables of nodes and links.
std::vector<TopRow> top_picture(const TopInterval& interval, std::size_t height, std::size_t width, std::size_t skipped);
// The whole picture in one line, without a line feed.
std::string top_line(const TopInterval& interval);
// Schema magicwire.top/1 (docs/guide/top.md). `kind`: "sample", or "total" for the last, from power-up.
nlohmann::ordered_json top_json(const TopInterval& interval, const char* kind);

}  // namespace cli
