#include "top/top_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <topologies/end_names.hpp>
#include <trace_record/event_names.hpp>

namespace cli {
namespace {

using session::LiveLink;
using session::LiveNode;
using session::LiveSample;
using vocabulary::SimTime;

// Truncated before they are subtracted, so that the parts of a run sum up to what the summary says of the whole.
std::int64_t us_between(SimTime before, SimTime now) {
    return now.in_us() - before.in_us();
}

template <class Rows, class Member>
auto sum(const Rows& rows, Member member) {
    return std::accumulate(rows.begin(), rows.end(), std::decay_t<decltype(rows.front().*member)>{},
                           [&](auto so_far, const auto& row) { return so_far + row.*member; });
}

bool carried(const LiveLink& link) {
    return link.bytes > 0 || link.lost > 0;
}

std::string name_of(const topologies::MachineDescription& machine, vocabulary::NodeId node, vocabulary::LinkNo link) {
    if (node.value() == machine.nodes.size()) return topologies::end_name(machine, topologies::HostEnd{link});
    return topologies::end_name(machine, topologies::NodeLink{node, link});
}

std::string from_name(const TopInterval& interval, const LiveLink& link) {
    return name_of(interval.machine, link.node, link.link);
}

std::string to_name(const TopInterval& interval, const LiveLink& link) {
    return link.to ? name_of(interval.machine, link.to->node, link.to->link) : "-";
}

// Shares of the interval. The monitor's work counts when it is charged, which may be a moment before it is done.
struct Load {
    double busy = 0, monitor = 0;
};

Load load(SimTime busy, SimTime monitor, SimTime time) {
    if (time <= SimTime()) return {};
    return {busy.in_seconds() / time.in_seconds(), monitor.in_seconds() / time.in_seconds()};
}

Load node_load(const TopInterval& interval, std::size_t i) {
    const LiveNode &before = interval.before.nodes[i], &now = interval.now.nodes[i];
    return load(now.busy - before.busy, now.overhead - before.overhead, interval.now.time - interval.before.time);
}

Load link_load(const TopInterval& interval, std::size_t i) {
    const LiveLink &before = interval.before.links[i], &now = interval.now.links[i];
    return load(now.busy - before.busy, now.monitor_busy - before.monitor_busy, interval.now.time - interval.before.time);
}

template <class LoadOf>
Load mean_load(const std::vector<std::size_t>& which, LoadOf load_of) {
    Load mean;
    for (const std::size_t i : which) {
        mean.busy += load_of(i).busy / static_cast<double>(which.size());
        mean.monitor += load_of(i).monitor / static_cast<double>(which.size());
    }
    return mean;
}

std::vector<std::size_t> all_nodes(const TopInterval& interval) {
    std::vector<std::size_t> all(interval.now.nodes.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

std::vector<std::size_t> used_links(const TopInterval& interval) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < interval.now.links.size(); ++i) {
        if (carried(interval.now.links[i])) used.push_back(i);
    }
    return used;
}

std::string tasks_text(const LiveSample& sample) {
    if (sample.tasks == 0) return fmt::format("{} tasks done", sample.tasks_done);
    return fmt::format("{} of {} tasks done", sample.tasks_done, sample.tasks);
}

// "likely stop: task 49 on n4, n5"
std::string verdict_text(const tmon_detrek::Verdict& verdict) {
    if (verdict.kind == tmon_detrek::VerdictKind::None) return "no stop so far";
    if (verdict.kind == tmon_detrek::VerdictKind::Unknown || verdict.nodes.empty()) return "a stop, place unknown";
    std::string nodes;
    for (const std::uint16_t node : verdict.nodes) nodes += fmt::format("{}n{}", nodes.empty() ? "" : ", ", node);
    const std::string task = verdict.task ? fmt::format("task {}", *verdict.task) : verdict.process;
    return fmt::format("likely stop: {} on {}", task, nodes);
}

double ms(SimTime time) {
    return time.in_seconds() * 1e3;
}

// '#' the program's share, 'm' the monitor's, '.' nothing.
void add_bar(TopRow& row, const Load& load, std::size_t width) {
    const auto cells = [width](double share) {
        return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
    };
    const std::size_t busy = cells(load.busy), program = std::min(busy, cells(load.busy - load.monitor));
    row.push_back({TopStyle::Plain, "["});
    row.push_back({TopStyle::Program, std::string(program, '#')});
    row.push_back({TopStyle::Monitor, std::string(busy - program, 'm')});
    row.push_back({TopStyle::Idle, std::string(width - busy, '.')});
    row.push_back({TopStyle::Plain, "]"});
}

constexpr std::size_t least_bar = 8;

double ms_of(std::uint64_t us) {
    return static_cast<double>(us) * 1e-3;
}

std::string loss_text(const StreamSeen& stream) {
    if (!stream.last_loss) return "";
    return fmt::format("lost {}, last n{}:{}-{} ({})", stream.lost, stream.node, stream.last_loss->first_seq,
                       stream.last_loss->last_seq, trace_record::loss_cause_name(stream.last_loss->cause));
}

// Truth on the left, and what the records tell on the right.
TopRow stream_row(const TopInterval& interval, std::size_t i) {
    const LiveNode& node = interval.now.nodes[i];
    const StreamSeen& stream = interval.records->streams[node.node.value()];
    const std::uint64_t made = node.recorded + node.lost;
    return {{node.stopped ? TopStyle::Alarm : TopStyle::Plain,
             fmt::format("{:<8}{:<8}{:>9} ", topologies::node_name(node.node), node.stopped ? "stopped" : "runs", made)},
            {TopStyle::Plain, fmt::format("| {:<9}{:>9} {:>12.3f} {:>10.3f} ", state_name(stream.state), stream.came,
                                          ms_of(stream.newest_us), ms_of(stream.late_us))},
            {TopStyle::Alarm, loss_text(stream)}};
}

std::vector<TopRow> records_heading(const RecordsSeen& seen) {
    return {{{TopStyle::Plain,
              fmt::format("by records: {} came, {} in causal order, {} wait for a cause, {} behind a gap; window {}", seen.came,
                          seen.reported, seen.unreported, seen.held_back, seen.window)}},
            {{TopStyle::Plain, fmt::format("under way: {} tasks and results, {} messages; master sent {}, {} back",
                                           seen.tasks_under_way, seen.messages_under_way, seen.sent, seen.back)},
             {seen.assumed + seen.late > 0 ? TopStyle::Alarm : TopStyle::Plain,
              fmt::format("; {} without their cause, {} late", seen.assumed, seen.late)}}};
}

std::size_t bar_width(std::size_t width, std::size_t text) {
    return width > text + least_bar ? std::min<std::size_t>(width - text, 50) : 0;
}

TopRow node_row(const TopInterval& interval, std::size_t i, std::size_t width) {
    const LiveNode& node = interval.now.nodes[i];
    const Load load = node_load(interval, i);
    TopRow row{{TopStyle::Plain, fmt::format("{:<8}{:>6.1f} {:>6.1f} ", topologies::node_name(node.node), 100 * load.busy,
                                             100 - 100 * load.busy)},
               {TopStyle::Monitor, fmt::format("{:>6.1f} ", 100 * load.monitor)},
               {TopStyle::Plain, node.room > 0 ? fmt::format("{:>4}/{:<4} ", node.buffered, node.room) : "         - "},
               {node.lost > 0 ? TopStyle::Alarm : TopStyle::Plain, fmt::format("{:>6} ", node.lost)}};
    if (node.stopped) {
        row.push_back({TopStyle::Alarm, "stopped"});
    } else if (const std::size_t bar = bar_width(width, 48); bar > 0) {
        add_bar(row, load, bar);
    }
    return row;
}

TopRow link_row(const TopInterval& interval, std::size_t i, std::size_t width) {
    const LiveLink& link = interval.now.links[i];
    const Load load = link_load(interval, i);
    const double bytes = static_cast<double>(link.bytes - interval.before.links[i].bytes);
    const double kilobytes = interval.seconds() > 0 ? bytes / interval.seconds() / 1000 : 0;
    TopRow row{{TopStyle::Plain,
                fmt::format("{:<6} {:<6} {:>6.1f} ", from_name(interval, link), to_name(interval, link), 100 * load.busy)},
               {TopStyle::Monitor, fmt::format("{:>6.1f} ", 100 * load.monitor)},
               {TopStyle::Plain, fmt::format("{:>9.1f} ", kilobytes)},
               {link.lost > 0 ? TopStyle::Alarm : TopStyle::Plain, fmt::format("{:>6} ", link.lost)}};
    if (const std::size_t bar = bar_width(width, 48); bar > 0) add_bar(row, load, bar);
    return row;
}

std::vector<TopRow> heading(const TopInterval& interval) {
    const LiveSample& now = interval.now;
    const std::uint64_t lost = sum(now.nodes, &LiveNode::lost);
    std::vector<TopRow> rows;
    rows.push_back({{TopStyle::Head, fmt::format("{}  {:<5} {:.3f} ms modelled, {:.3g} modelled s a wall s", interval.name,
                                                 now.phase, ms(now.time), interval.wall_speed)}});
    rows.push_back({{TopStyle::Plain, fmt::format("{}, {} records, {} in buffers, ", tasks_text(now),
                                                  sum(now.nodes, &LiveNode::recorded), sum(now.nodes, &LiveNode::buffered))},
                    {lost > 0 ? TopStyle::Alarm : TopStyle::Plain, fmt::format("{} lost", lost)}});
    if (interval.verdict) {
        const bool stop = interval.verdict->kind != tmon_detrek::VerdictKind::None;
        rows.push_back({{stop ? TopStyle::Alarm : TopStyle::Plain, verdict_text(*interval.verdict)}});
    }
    rows.push_back({{TopStyle::Program, "# program"},
                    {TopStyle::Plain, "  "},
                    {TopStyle::Monitor, "m monitor"},
                    {TopStyle::Plain, "  "},
                    {TopStyle::Idle, ". idle"},
                    {TopStyle::Plain, fmt::format("  percent of the last {:.3f} ms", ms(now.time - interval.before.time))}});
    return rows;
}

// A table in at most `height` rows: head, rows, and how many are not shown. Rows keep their order when all have room, else the
// busiest since power-up come first, so that rows do not jump about.
template <class RowOf, class Busy>
void add_table(std::vector<TopRow>& picture, const std::string& head, const char* what, std::vector<std::size_t> rows,
               std::size_t height, std::size_t skipped, Busy busy, RowOf row_of) {
    if (height < 2 || rows.empty()) return;
    picture.push_back({{TopStyle::Head, head}});
    std::size_t room = height - 1, first = 0;
    if (rows.size() > room) {
        --room;  // for the row that counts
        std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return busy(a) > busy(b); });
        first = std::min(skipped, rows.size() - room);
    }
    const std::size_t shown = std::min(room, rows.size());
    for (std::size_t i = first; i < first + shown; ++i) picture.push_back(row_of(rows[i]));
    if (shown == rows.size()) return;
    const std::size_t below = rows.size() - first - shown;
    picture.push_back({{TopStyle::Idle, fmt::format("{} more {}: {} busier above, {} less busy below", rows.size() - shown,
                                                    what, first, below)}});
}

}  // namespace

std::vector<TopRow> top_picture(const TopInterval& interval, std::size_t height, std::size_t width, std::size_t skipped) {
    std::vector<TopRow> picture = heading(interval);
    if (height <= picture.size()) {
        picture.resize(height);
        return picture;
    }
    if (interval.records) {
        for (TopRow& row : records_heading(*interval.records)) picture.push_back(std::move(row));
        if (height <= picture.size()) {
            picture.resize(height);
            return picture;
        }
        add_table(
            picture, "node    truth        made | records       came    newest ms    late ms", "nodes", all_nodes(interval),
            height - picture.size(), skipped, [&](std::size_t i) { return interval.now.nodes[i].busy; },
            [&](std::size_t i) { return stream_row(interval, i); });
        return picture;
    }
    const std::vector<std::size_t> nodes = all_nodes(interval), links = used_links(interval);
    const std::size_t room = height - picture.size();
    // Each table gets half, and any rows that the other does not need.
    const std::size_t for_links = std::min(links.size() + 1, std::max(room / 2, room - std::min(room, nodes.size() + 1)));
    add_table(
        picture, "node      busy   idle monit. buffered    lost", "nodes", nodes, room - for_links, skipped,
        [&](std::size_t i) { return interval.now.nodes[i].busy; }, [&](std::size_t i) { return node_row(interval, i, width); });
    add_table(
        picture, "link   to       busy monit.      kB/s    lost", "links", links, height - picture.size(), skipped,
        [&](std::size_t i) { return interval.now.links[i].busy; }, [&](std::size_t i) { return link_row(interval, i, width); });
    return picture;
}

namespace {

// The truth first, and then what the records tell of the same.
std::string records_line(const TopInterval& interval) {
    const LiveSample& now = interval.now;
    const RecordsSeen& seen = *interval.records;
    std::uint64_t made = 0, stopped = 0, lost = 0, late_us = 0;
    std::array<std::uint64_t, 4> states{};
    for (const LiveNode& node : now.nodes) {
        made += node.recorded + node.lost;
        stopped += node.stopped ? 1 : 0;
        const StreamSeen& stream = seen.streams[node.node.value()];
        ++states[static_cast<std::size_t>(stream.state)];
        lost += stream.lost;
        late_us = std::max(late_us, stream.late_us);
    }
    std::string line = fmt::format(
        "{:>11.3f} ms {:<5} truth: {}, {} records made, {} stopped; records: {} back of {} sent, {} came, {} lost, {} under "
        "way, streams {} "
        "active {} idle {} silent {} finished, window {}, {} wait, late {:.3f} ms",
        ms(now.time), now.phase, tasks_text(now), made, stopped, seen.back, seen.sent, seen.came, lost,
        seen.tasks_under_way + seen.messages_under_way, states[1], states[2], states[0], states[3], seen.window,
        seen.unreported, ms_of(late_us));
    if (interval.verdict) line += ", " + verdict_text(*interval.verdict);
    return line + fmt::format(", {:.3g} s/s", interval.wall_speed);
}

nlohmann::ordered_json records_json(const TopInterval& interval) {
    const RecordsSeen& seen = *interval.records;
    nlohmann::ordered_json json = {{"came", seen.came},
                                   {"reported", seen.reported},
                                   {"unreported", seen.unreported},
                                   {"held_back", seen.held_back},
                                   {"window", seen.window},
                                   {"assumed", seen.assumed},
                                   {"late", seen.late},
                                   {"tasks_under_way", seen.tasks_under_way},
                                   {"messages_under_way", seen.messages_under_way},
                                   {"sent", seen.sent},
                                   {"back", seen.back}};
    auto& streams = json["streams"] = nlohmann::ordered_json::array();
    for (const LiveNode& node : interval.now.nodes) {
        const StreamSeen& stream = seen.streams[node.node.value()];
        nlohmann::ordered_json one = {{"node", stream.node},
                                      {"state", state_name(stream.state)},
                                      {"made", node.recorded + node.lost},
                                      {"came", stream.came},
                                      {"lost", stream.lost},
                                      {"newest_us", stream.newest_us},
                                      {"late_us", stream.late_us},
                                      {"last_loss", nullptr}};
        if (stream.last_loss) one["last_loss"] = {stream.last_loss->first_seq, stream.last_loss->last_seq};
        streams.push_back(std::move(one));
    }
    return json;
}

}  // namespace

std::string top_line(const TopInterval& interval) {
    if (interval.records) return records_line(interval);
    const LiveSample& now = interval.now;
    const Load nodes = mean_load(all_nodes(interval), [&](std::size_t i) { return node_load(interval, i); });
    const Load links = mean_load(used_links(interval), [&](std::size_t i) { return link_load(interval, i); });
    const auto stopped = std::count_if(now.nodes.begin(), now.nodes.end(), [](const LiveNode& node) { return node.stopped; });
    std::string line = fmt::format(
        "{:>11.3f} ms {:<5} {}, nodes {:.1f} % busy, {:.1f} % monitor, links {:.1f} % busy, {:.1f} % monitor, {} records, {} "
        "in buffers, {} lost",
        ms(now.time), now.phase, tasks_text(now), 100 * nodes.busy, 100 * nodes.monitor, 100 * links.busy, 100 * links.monitor,
        sum(now.nodes, &LiveNode::recorded), sum(now.nodes, &LiveNode::buffered), sum(now.nodes, &LiveNode::lost));
    if (stopped > 0) line += fmt::format(", {} stopped", stopped);
    if (interval.verdict) line += ", " + verdict_text(*interval.verdict);
    return line + fmt::format(", {:.3g} s/s", interval.wall_speed);
}

nlohmann::ordered_json top_json(const TopInterval& interval, const char* kind) {
    const LiveSample &before = interval.before, &now = interval.now;
    nlohmann::ordered_json json = {{"schema", "magicwire.top/1"},       {"kind", kind},
                                   {"scenario", interval.name},         {"phase", now.phase},
                                   {"from_us", before.time.in_us()},    {"until_us", now.time.in_us()},
                                   {"wall_speed", interval.wall_speed}, {"results", now.tasks_done - before.tasks_done},
                                   {"results_so_far", now.tasks_done},  {"tasks", now.tasks},
                                   {"moved", now.moved - before.moved}};
    if (const auto& verdict = interval.verdict) {
        json["verdict"] = {{"kind", tmon_detrek::verdict_kind_name(verdict->kind)},
                           {"task", verdict->task ? nlohmann::ordered_json(*verdict->task) : nlohmann::ordered_json(nullptr)},
                           {"nodes", verdict->nodes},
                           {"sentence", verdict->sentence}};
    }
    if (interval.records) json["by_records"] = records_json(interval);
    auto& nodes = json["nodes"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < now.nodes.size(); ++i) {
        const LiveNode &from = before.nodes[i], &to = now.nodes[i];
        const std::int64_t busy = us_between(from.busy, to.busy);
        nodes.push_back({{"node", to.node.value()},
                         {"stopped", to.stopped},
                         {"busy_us", busy},
                         {"idle_us", us_between(before.time, now.time) - busy},
                         {"overhead_us", us_between(from.overhead, to.overhead)},
                         {"recorded", to.recorded - from.recorded},
                         {"lost", to.lost - from.lost},
                         {"buffered", to.buffered},
                         {"room", to.room}});
    }
    auto& links = json["links"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < now.links.size(); ++i) {
        const LiveLink &from = before.links[i], &to = now.links[i];
        if (!carried(to)) continue;
        links.push_back({{"from", from_name(interval, to)},
                         {"to", to_name(interval, to)},
                         {"busy_us", us_between(from.busy, to.busy)},
                         {"monitor_busy_us", us_between(from.monitor_busy, to.monitor_busy)},
                         {"bytes", to.bytes - from.bytes},
                         {"monitor_bytes", to.monitor_bytes - from.monitor_bytes},
                         {"lost_transfers", to.lost - from.lost}});
    }
    return json;
}

}  // namespace cli
