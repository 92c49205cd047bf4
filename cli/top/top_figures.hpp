// Figures that 'magicwire top' shows of two samples of a session, as rows of text and JSON, apart from where they are shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <session/live_sample.hpp>
#include <topologies/machine_description.hpp>

namespace cli {

// From one sample to a later one of the same run.
struct TopInterval {
    const topologies::MachineDescription& machine;  // for names
    std::string name;                               // of the scenario
    session::LiveSample before, now;
    double wall_speed = 0;  // modelled seconds a second of wall time; the only figure that another run does not repeat

    double seconds() const { return (now.time - before.time).in_seconds(); }
};

enum class TopStyle { Plain, Head, Program, Monitor, Idle, Alarm };
struct TopSpan {
    TopStyle style = TopStyle::Plain;
    std::string text;
};
using TopRow = std::vector<TopSpan>;

// The whole picture in at most `height` rows of `width` columns. Rows that have no room are counted in a row of their own.
// `skipped`: so many rows of nodes and of links from the top of each table are scrolled away.
std::vector<TopRow> top_picture(const TopInterval& interval, std::size_t height, std::size_t width, std::size_t skipped);
// All of it in a line, without a line feed.
std::string top_line(const TopInterval& interval);
// Schema magicwire.top/1 (docs/guide/top.md). `kind`: "sample", or "total" for the last, from power-up.
nlohmann::ordered_json top_json(const TopInterval& interval, const char* kind);

}  // namespace cli
