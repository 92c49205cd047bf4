// PICL of 1990, compact form: KEY SECONDS MICROSECONDS NODE and what the key wants. docs/formats/exports.md has the table.
#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "byte_output.hpp"
#include "exporter.hpp"
#include "picl_text.hpp"

namespace tmon_export {
namespace {

enum class Key {
    TraceStart = 1,
    Send = 4,
    Receive = 6,
    Calls = 7,
    Wakes = 8,
    CompStats = 11,
    Mark = 15,
    Message = 16,
    Exit = 19,
    BlockBegin = 20,
    BlockEnd = 21,
    ClockSync = 23
};

constexpr int host = -32768;

class PiclOld final : public Exporter {
public:
    PiclOld(const std::string& out, bool force) : out_(out, force) {}

    void begin(const ExportHead& head) override {
        view_.begin(head);
        out_.put(
            fmt::format("{} 0 0 {} \"trace {}; time: {}\"\n", static_cast<int>(Key::Message), host, head.status, head.clock));
    }
    void item(const TraceItem& item, const Match&) override {
        if (view_.begins(item.node)) line(Key::TraceStart, item, FMT_COMPILE(" 1 1 1"));
        switch (item.kind) {
            case TraceItem::Kind::Record:
                return record(item);
            case TraceItem::Kind::Lost:
                return line(Key::Message, item, FMT_COMPILE(" \"lost {} records, {} to {}: {}\""),
                            item.loss.last_seq - item.loss.first_seq + 1ULL, item.loss.first_seq, item.loss.last_seq,
                            loss_cause_name(item.loss.cause));
            case TraceItem::Kind::Unloaded:
                return;
            case TraceItem::Kind::End:
                if (item.finished) return line(Key::Exit, item, FMT_COMPILE(" 0"));
                return line(Key::Message, item, FMT_COMPILE(" \"the stream ends open: later records may be missing\""));
        }
    }
    void end(const ExportResult& result) override {
        out_.put(fmt::format("{} {} {} {} \"{}\"\n", static_cast<int>(Key::Message), view_.last_us() / 1'000'000,
                             view_.last_us() % 1'000'000, host, alone_text(result)));
    }
    void close() override { out_.close(); }

private:
    template <class Format, class... Values>
    void line(Key key, const TraceItem& item, const Format& format, const Values&... values) {
        const std::uint64_t us = view_.us(item);
        const auto to = std::back_inserter(line_);
        fmt::format_to(to, FMT_COMPILE("{} {} {} {}"), static_cast<int>(key), us / 1'000'000, us % 1'000'000, item.node);
        fmt::format_to(to, format, values...);
        line_.push_back('\n');
        out_.put({line_.data(), line_.size()});
        line_.clear();
    }
    void record(const TraceItem& item) {
        const Event& e = item.event;
        if (view_.is_send(e)) return line(Key::Send, item, FMT_COMPILE(" {} {} {}"), e.peer, view_.type(e), e.bytes);
        if (view_.is_call(e)) {
            view_.called(e);
            return line(Key::Calls, item, FMT_COMPILE(" {}"), view_.type(e));
        }
        if (view_.is_receive(e))
            return line(view_.was_called(e) ? Key::Wakes : Key::Receive, item, FMT_COMPILE(" {} {} {}"), e.peer, view_.type(e),
                        e.bytes);
        if (e.kind == EventKind::ProcessStart) return line(Key::BlockBegin, item, FMT_COMPILE(" {} 0 0"), e.peer);
        if (e.kind == EventKind::ProcessEnd) return line(Key::BlockEnd, item, FMT_COMPILE(" {} 0 0"), e.peer);
        if (e.kind == EventKind::User) return line(Key::Mark, item, FMT_COMPILE(" {}"), e.task);
        if (e.kind == EventKind::Synchronise) return line(Key::ClockSync, item, FMT_COMPILE(""));
        if (e.kind != EventKind::NodeUsage) return;
        const std::uint64_t idle = view_.idle_us(item);
        line(Key::CompStats, item, FMT_COMPILE(" {} {}"), idle / 1'000'000, idle % 1'000'000);
    }

    fmt::memory_buffer line_;
    ByteOutput out_;
    PiclView view_;
};

}  // namespace

std::unique_ptr<Exporter> make_picl_old(const std::string& out, bool force) {
    return std::make_unique<PiclOld>(out, force);
}

}  // namespace tmon_export
