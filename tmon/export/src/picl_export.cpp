// PICL of 1992 (ORNL/TM-12125): RECORD-TYPE EVENT-TYPE TIME PROCESSOR TASK FIELDS [DESCRIPTOR VALUES]. docs/formats/exports.md
// has the table.
#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "byte_output.hpp"
#include "exporter.hpp"
#include "picl_text.hpp"

namespace tmon_export {
namespace {

enum RecordType { Mark = -2, Entry = -3, Leave = -4, Text = -7, TimeStatistics = -101 };
enum EventType {
    Send = -21,
    NotBlocked = -51,
    Blocked = -52,
    ClockSync = -401,
    Idle = -601,
    Node = -901,
    Note = -911,
    BufferFull = -913
};

class Picl final : public Exporter {
public:
    Picl(const std::string& out, bool force) : out_(out, force) {}

    void begin(const ExportHead& head) override {
        view_.begin(head);
        out_.put(fmt::format("{} {} 0.000000 -1 -1 1 \"%s\" \"trace {}; time: {}\"\n", int{Text}, int{Note}, head.status,
                             head.clock));
    }
    void item(const TraceItem& item, const Match&) override {
        if (view_.begins(item.node)) line(Entry, Node, item, -1, FMT_COMPILE("0"));
        switch (item.kind) {
            case TraceItem::Kind::Record:
                return record(item);
            case TraceItem::Kind::Lost:
                line(Mark, BufferFull, item, -1, FMT_COMPILE("3 2 {} {} {}"), item.loss.first_seq, item.loss.last_seq,
                     static_cast<unsigned>(item.loss.cause));
                return text(item, fmt::format("lost {} records, {} to {}: {}", item.loss.last_seq - item.loss.first_seq + 1ULL,
                                              item.loss.first_seq, item.loss.last_seq, loss_cause_name(item.loss.cause)));
            case TraceItem::Kind::Unloaded:
                return;
            case TraceItem::Kind::End:
                if (item.finished) return line(Leave, Node, item, -1, FMT_COMPILE("0"));
                return text(item, "the stream ends open: later records may be missing");
        }
    }
    void end(const ExportResult& result) override {
        out_.put(fmt::format("{} {} {}.{:06} -1 -1 1 \"%s\" \"{}\"\n", int{Text}, int{Note}, view_.last_us() / 1'000'000,
                             view_.last_us() % 1'000'000, alone_text(result)));
    }
    void close() override { out_.close(); }

private:
    template <class Format, class... Values>
    void line(int type, int event, const TraceItem& item, std::int64_t task, const Format& format, const Values&... values) {
        const std::uint64_t us = view_.us(item);
        const auto to = std::back_inserter(line_);
        fmt::format_to(to, FMT_COMPILE("{} {} {}.{:06} {} {} "), type, event, us / 1'000'000, us % 1'000'000, item.node, task);
        fmt::format_to(to, format, values...);
        line_.push_back('\n');
        out_.put({line_.data(), line_.size()});
        line_.clear();
    }
    void text(const TraceItem& item, const std::string& words) {
        line(Text, Note, item, -1, FMT_COMPILE("1 \"%s\" \"{}\""), words);
    }

    void record(const TraceItem& item) {
        const Event& e = item.event;
        const std::int64_t task = view_.process(e);
        if (view_.is_send(e)) {
            line(Entry, Send, item, task, FMT_COMPILE("3 2 {} {} {}"), e.bytes, view_.type(e), e.peer);
            return line(Leave, Send, item, task, FMT_COMPILE("0"));
        }
        if (view_.is_call(e)) {
            view_.called(e);
            return line(Entry, Blocked, item, task, FMT_COMPILE("2 2 {} -1"), view_.type(e));
        }
        if (view_.is_receive(e)) return receive(item, task);
        if (e.kind == EventKind::ProcessStart) return text(item, fmt::format("process {} starts: {}", e.peer, process_name(e)));
        if (e.kind == EventKind::ProcessEnd) return text(item, fmt::format("process {} ends: {}", e.peer, process_name(e)));
        // Numbers of users' events are theirs from 0 on, as the format has it.
        if (e.kind == EventKind::User)
            return line(Mark, static_cast<int>(e.task & 0x7FFF'FFFF), item, -1, FMT_COMPILE("1 2 {}"),
                        static_cast<std::int64_t>(e.subtask | std::uint64_t{e.bytes} << 32));
        if (e.kind == EventKind::Synchronise) {
            line(Entry, ClockSync, item, -1, FMT_COMPILE("0"));
            return line(Leave, ClockSync, item, -1, FMT_COMPILE("0"));
        }
        if (e.kind == EventKind::NodeUsage) line(TimeStatistics, Idle, item, -1, FMT_COMPILE("1 2 {}"), view_.idle_us(item));
    }
    void receive(const TraceItem& item, std::int64_t task) {
        const Event& e = item.event;
        const bool called = view_.was_called(e);
        const int how = called ? Blocked : NotBlocked;
        if (!called) line(Entry, how, item, task, FMT_COMPILE("2 2 {} {}"), view_.type(e), e.peer);
        line(Leave, how, item, task, FMT_COMPILE("3 2 {} {} {}"), e.bytes, view_.type(e), e.peer);
    }

    fmt::memory_buffer line_;
    ByteOutput out_;
    PiclView view_;
};

}  // namespace

std::unique_ptr<Exporter> make_picl(const std::string& out, bool force) {
    return std::make_unique<Picl>(out, force);
}

}  // namespace tmon_export
