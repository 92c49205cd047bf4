// Perfetto: one process a node, tracks for its neighbours, its processes, its losses and its counters; docs/formats/exports.md.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <map>
#include <unordered_set>
#include <utility>

#include "exporter.hpp"
#include "perfetto_packets.hpp"

namespace tmon_export {
namespace {

using Type = TrackEvent::Type;

enum class Room : std::uint64_t { Process = 0, Neighbour, Thread, Counter, Losses, User, Clock };
enum Counter : std::uint32_t { Fill = 0, High, Low, FirstLink };

constexpr std::uint64_t trace_track = 1;
constexpr std::uint32_t first_clock = 128;  // below are Perfetto's own and those of one sequence
constexpr std::uint64_t snapshot_us = 100'000;

class Perfetto final : public Exporter {
public:
    Perfetto(const std::string& out, bool force) : packets_(out, force) {}

    void begin(const ExportHead& head) override {
        shift_ns_ = head.first_ns < 0 ? -head.first_ns : 0;
        fill_known_ = head.unload_times;
        nodes_.resize(head.nodes);
        packets_.begin();
        packets_.track(trace_track, 0, "trace");
        event({.track = trace_track, .category = Category::Trace, .name = "trace " + head.status + "; time: " + head.clock});
        for (std::uint16_t node = 0; node < head.nodes; ++node)
            packets_.process(uuid(node, Room::Process, 0), pid(node), fmt::format("n{}", node));
    }

    void item(const TraceItem& item, const Match& match) override {
        last_ns_ = ns(item.main_ns);
        tell_clocks(item);
        switch (item.kind) {
            case TraceItem::Kind::Record:
                record(item, match);
                if (fill_known_) fill(item, ++nodes_[item.node].in_buffers);
                return;
            case TraceItem::Kind::Unloaded: {
                std::uint64_t& held = nodes_[item.node].in_buffers;
                held -= std::min<std::uint64_t>(held, item.count);
                return fill(item, held);
            }
            case TraceItem::Kind::Lost:
                return lost(item);
            case TraceItem::Kind::End:
                if (!item.finished)
                    event({.ns = ns(item.main_ns),
                           .track = losses_track(item.node, 0),
                           .category = Category::Loss,
                           .name = "the stream ends open: later records may be missing"});
        }
    }

    void end(const ExportResult& result) override {
        event({.ns = last_ns_, .track = trace_track, .category = Category::Trace, .name = alone_text(result)});
    }
    void close() override { packets_.close(); }

private:
    struct Process {
        bool runs = false, receives = false, sends = false, operates = false;  // slices that are open
    };
    struct Node {
        std::uint64_t in_buffers = 0, usage_us = 0, snapshot_us = 0;
        bool begun = false;
        std::map<std::uint32_t, Process> processes;
        std::vector<std::int64_t> loss_lanes;  // end of each slice that takes a lane
    };

    static std::uint64_t uuid(std::uint16_t node, Room room, std::uint64_t number) {
        return (node + 1ULL) << 40 | static_cast<std::uint64_t>(room) << 32 | number;
    }
    static std::uint32_t pid(std::uint16_t node) { return node + 1U; }
    std::uint64_t ns(std::int64_t main_ns) const {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, main_ns + shift_ns_));
    }
    void event(const TrackEvent& what) { packets_.event(what); }

    // Makes the track when it is wanted for the first time.
    template <class Make>
    std::uint64_t once(std::uint64_t track, Make&& make) {
        if (made_.insert(track).second) make(track);
        return track;
    }
    // `name`: a function that makes the name, called once.
    template <class Name>
    std::uint64_t plain_track(std::uint16_t node, Room room, std::uint64_t number, Name&& name) {
        return once(uuid(node, room, number),
                    [&](std::uint64_t track) { packets_.track(track, uuid(node, Room::Process, 0), name()); });
    }
    std::uint64_t losses_track(std::uint16_t node, std::size_t lane) {
        return plain_track(node, Room::Losses, lane, [&] { return lane == 0 ? "losses" : fmt::format("losses {}", lane + 1); });
    }
    std::uint64_t thread_track(std::uint16_t node, std::uint32_t process, const std::string& name) {
        return once(uuid(node, Room::Thread, process), [&](std::uint64_t track) {
            packets_.thread(track, pid(node), ++last_thread_, name.empty() ? fmt::format("process {}", process) : name);
        });
    }
    void count(const TraceItem& item, Counter which, const char* name, const char* unit, std::uint64_t value) {
        const std::uint64_t track = once(uuid(item.node, Room::Counter, which), [&](std::uint64_t number) {
            packets_.counter_track(number, uuid(item.node, Room::Process, 0), name, unit);
        });
        packets_.counter(ns(item.main_ns), track, static_cast<std::int64_t>(value));
    }
    void fill(const TraceItem& item, std::uint64_t held) { count(item, Fill, "records in the trace buffers", "records", held); }

    void tell_clocks(const TraceItem& item) {
        Node& node = nodes_[item.node];
        const bool due = !node.begun || item.node_us >= node.snapshot_us + snapshot_us || item.kind == TraceItem::Kind::End ||
                         (item.kind == TraceItem::Kind::Record && item.event.kind == EventKind::Synchronise);
        if (!due || (node.begun && item.node_us == node.snapshot_us)) return;
        node.begun = true;
        node.snapshot_us = item.node_us;
        packets_.clocks(ns(item.main_ns), first_clock + item.node, item.node_us * 1000);
    }

    void lost(const TraceItem& item) {
        auto& lanes = nodes_[item.node].loss_lanes;
        std::size_t lane = 0;
        while (lane < lanes.size() && lanes[lane] > item.main_ns) ++lane;
        if (lane == lanes.size()) lanes.push_back(0);
        lanes[lane] = item.until_ns;
        const std::uint64_t track = losses_track(item.node, lane);
        const std::string cause(loss_cause_name(item.loss.cause));
        event({.type = Type::Begin,
               .ns = ns(item.main_ns),
               .track = track,
               .category = Category::Loss,
               .name = fmt::format("lost {} records: {}", item.loss.last_seq - item.loss.first_seq + 1ULL, cause),
               .numbers = {{Note::FirstSeq, item.loss.first_seq}, {Note::LastSeq, item.loss.last_seq}},
               .words = {{Note::Cause, cause}, {Note::Classes, classes_text(item.loss.classes)}}});
        event({.type = Type::End, .ns = ns(item.until_ns), .track = track});
    }

    void record(const TraceItem& item, const Match& match) {
        const Event& e = item.event;
        TrackEvent what{.ns = ns(item.main_ns), .numbers = {{Note::Seq, e.seq}, {Note::NodeUs, item.node_us}}};
        switch (e.kind) {
            case EventKind::Send:
            case EventKind::Receive:
                return task(item, match, what);
            case EventKind::MessageSend:
            case EventKind::MessageReceive:
            case EventKind::ReceiveCall:
            case EventKind::SendCall:
                return message(item, match, what);
            case EventKind::CollectiveBegin:
            case EventKind::CollectiveEnd:
                return collective(item, what);
            case EventKind::Partner:
                return;  // the arrow to its receive shows it
            case EventKind::Member:
                return;  // the operations name their group
            case EventKind::ProcessStart:
            case EventKind::ProcessEnd:
                return process(item, what);
            case EventKind::NodeUsage:
                return usage(item);
            case EventKind::Synchronise:
                what.track = plain_track(item.node, Room::Clock, 0, [] { return "global interrupts"; });
                what.category = Category::Clock;
                what.name = fmt::format("interrupt {}", e.task);
                return event(what);
            case EventKind::User:
                what.track = plain_track(item.node, Room::User, 0, [] { return "user events"; });
                what.category = Category::User;
                what.name = fmt::format("user {}", e.task);
                what.numbers.add({{Note::Value, e.subtask | std::uint64_t{e.bytes} << 32}});
                return event(what);
        }
        what.track = plain_track(item.node, Room::User, 1, [] { return "records of unknown kinds"; });
        what.category = Category::Trace;
        what.name = fmt::format("kind {}", static_cast<unsigned>(e.kind));
        event(what);
    }

    void task(const TraceItem& item, const Match& match, TrackEvent& what) {
        const Event& e = item.event;
        what.track = plain_track(item.node, Room::Neighbour, e.peer, [&] { return fmt::format("link to n{}", e.peer); });
        what.category = Category::Task;
        what.name = fmt::format(FMT_COMPILE("{} {} {} {:04x}"), e.kind == EventKind::Send ? "send" : "receive",
                                e.is_result != 0 ? "result" : "task", e.task, e.subtask);
        what.flow = match.flow;
        what.flow_ends = match.second;
        what.numbers.add({{Note::Task, e.task}, {Note::SubTask, e.subtask}, {Note::Peer, e.peer}, {Note::Bytes, e.bytes}});
        event(what);
    }

    void message(const TraceItem& item, const Match& match, TrackEvent& what) {
        const Event& e = item.event;
        Process& process = nodes_[item.node].processes[e.subtask];
        what.track = thread_track(item.node, e.subtask, "");
        what.category = Category::Message;
        const auto number = static_cast<std::int32_t>(e.task);
        what.numbers.add({{Note::Number, e.task}});
        const bool ends_send = std::exchange(process.sends, false);  // or it failed, or its end was lost
        if (ends_send) {
            TrackEvent over{.type = Type::End, .ns = what.ns, .track = what.track};
            if (e.kind == EventKind::MessageSend) over.numbers.add({{Note::Bytes, e.bytes}});
            event(over);
            if (e.kind == EventKind::MessageSend) return;
        }
        if (process.receives && e.kind != EventKind::MessageSend) {  // the wait is over, or its end was lost
            event({.type = Type::End, .ns = what.ns, .track = what.track});
            process.receives = false;
        }
        what.flow = match.flow;
        if (e.kind == EventKind::ReceiveCall) {
            what.type = Type::Begin;
            what.name = "waits for a message: " + event_name(number);
            process.receives = true;
            return event(what);
        }
        const bool to_cast = e.peer >= trace_record::first_cast && e.peer != trace_record::unknown_peer;
        what.flow_ends = match.second && e.kind == EventKind::MessageReceive && !to_cast;
        what.name = e.kind == EventKind::MessageReceive ? "message from" : "message to";
        what.name += e.peer == trace_record::unknown_peer ? std::string(" a node that it does not say")
                     : to_cast                            ? fmt::format(" cast {}", e.peer)
                                                          : fmt::format(" n{}", e.peer);
        what.name += ": " + event_name(number);
        if (e.peer != trace_record::unknown_peer) what.numbers.add({{Note::Peer, e.peer}});
        if (e.kind == EventKind::SendCall) {
            what.type = Type::Begin;
            process.sends = true;
        } else {
            what.numbers.add({{Note::Bytes, e.bytes}});
        }
        event(what);
    }

    void collective(const TraceItem& item, TrackEvent& what) {
        const Event& e = item.event;
        Process& process = nodes_[item.node].processes[e.subtask];
        what.track = thread_track(item.node, e.subtask, "");
        what.category = Category::Message;
        const bool begins = e.kind == EventKind::CollectiveBegin;
        const bool open = std::exchange(process.operates, begins);
        if (!begins && !open) return;                                    // its beginning was lost
        for (bool* const inner : {&process.sends, &process.receives}) {  // their ends were lost
            if (std::exchange(*inner, false)) event({.type = Type::End, .ns = what.ns, .track = what.track});
        }
        if (begins && open) event({.type = Type::End, .ns = what.ns, .track = what.track});  // likewise
        what.type = begins ? Type::Begin : Type::End;
        if (begins) {
            what.name = fmt::format("{} {} of cast {}", operation_name(e), e.bytes, e.peer);
            what.numbers.add({{Note::Peer, e.peer}});
        }
        event(what);
    }

    void process(const TraceItem& item, TrackEvent& what) {
        const Event& e = item.event;
        Process& process = nodes_[item.node].processes[e.peer];
        what.name = process_name(e);
        what.track = thread_track(item.node, e.peer, what.name);
        what.category = Category::Process;
        for (bool* open : {&process.sends, &process.receives,
                           &process.runs}) {  // of an earlier process of this number, whose end was lost, too
            if (*open) event({.type = Type::End, .ns = what.ns, .track = what.track});
            if (*open && open == &process.runs && e.kind == EventKind::ProcessEnd) {
                process.runs = false;
                return;
            }
            *open = false;
        }
        if (e.kind == EventKind::ProcessStart) {
            what.type = Type::Begin;
            process.runs = true;
        } else {
            what.name += " ends";  // its start was lost
        }
        event(what);
    }

    void usage(const TraceItem& item) {
        Node& node = nodes_[item.node];
        const std::uint64_t passed = item.node_us - node.usage_us;
        node.usage_us = item.node_us;
        const auto percent = [&](std::uint64_t us) { return passed > 0 ? std::min<std::uint64_t>(100, us * 100 / passed) : 0; };
        count(item, High, "high-priority work", "%", percent(item.event.task));
        count(item, Low, "low-priority work", "%", percent(item.event.subtask));
        constexpr const char* names[] = {"link 0 sends", "link 1 sends", "link 2 sends", "link 3 sends"};
        for (std::uint32_t link = 0; link < 4; ++link)
            count(item, static_cast<Counter>(FirstLink + link), names[link], "%", item.event.bytes >> 8 * link & 0xFF);
    }

    PerfettoPackets packets_;
    bool fill_known_ = false;
    std::int64_t shift_ns_ = 0;
    std::uint64_t last_ns_ = 0;
    std::uint32_t last_thread_ = 1U << 20;  // numbers of threads are unlike those of processes
    std::vector<Node> nodes_;
    std::unordered_set<std::uint64_t> made_;
};

}  // namespace

std::unique_ptr<Exporter> make_perfetto(const std::string& out, bool force) {
    return std::make_unique<Perfetto>(out, force);
}

}  // namespace tmon_export
