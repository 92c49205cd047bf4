// CSV (RFC 4180): one table with everything in the order of time; docs/formats/exports.md lists the columns.
#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "byte_output.hpp"
#include "exporter.hpp"

namespace tmon_export {
namespace {

constexpr const char* columns =
    "row,node,seq,last_seq,kind,main_ns,node_us,until_us,task,subtask,is_result,peer,bytes,process,number,value,partner,cause,"
    "classes\r\n";

// A field that may hold anything.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

class Csv final : public Exporter {
public:
    Csv(const std::string& out, bool force) : out_(out, force) {}

    void begin(const ExportHead&) override { out_.put(columns); }

    void item(const TraceItem& item, const Match& match) override {
        switch (item.kind) {
            case TraceItem::Kind::Record:
                record(item, match);
                break;
            case TraceItem::Kind::Lost:
                add(FMT_COMPILE("lost,{},{},{},,{},{},{},,,,,,,,,,{},{}\r\n"), item.node, item.loss.first_seq,
                    item.loss.last_seq, item.main_ns, item.node_us, item.until_us, loss_cause_name(item.loss.cause),
                    classes_text(item.loss.classes));
                break;
            case TraceItem::Kind::Unloaded:
                add(FMT_COMPILE("unloaded,{},,,,{},{},,,,,,,,,{},,,\r\n"), item.node, item.main_ns, item.node_us, item.count);
                break;
            case TraceItem::Kind::End:
                add(FMT_COMPILE("end,{},,,{},{},{},,,,,,,,,,,,\r\n"), item.node, item.finished ? "finished" : "open",
                    item.main_ns, item.node_us);
                break;
        }
        put();
    }

    void end(const ExportResult& result) override {
        add(FMT_COMPILE("trace,,,,{},,,,,,,,,,{},,,,\r\n"), quoted(result.status), result.unmatched);
        put();
    }
    void close() override { out_.close(); }

private:
    // A line grows in one buffer.
    template <class Format, class... Values>
    void add(const Format& format, const Values&... values) {
        fmt::format_to(std::back_inserter(line_), format, values...);
    }
    void put() {
        out_.put({line_.data(), line_.size()});
        line_.clear();
    }
    void record(const TraceItem& item, const Match& match) {
        const Event& e = item.event;
        add(FMT_COMPILE("record,{},{},,{},{},{},,"), item.node, e.seq, kind_name(e.kind), item.main_ns, item.node_us);
        switch (e.kind) {
            case EventKind::Send:
            case EventKind::Receive:
                add(FMT_COMPILE("{},{:04x},{},{},{},,,,"), e.task, e.subtask, e.is_result, e.peer, e.bytes);
                return partner(match);
            case EventKind::MessageSend:
            case EventKind::MessageReceive:
                add(FMT_COMPILE(",,,{},{},{},{},,"), e.peer, e.bytes, e.subtask, static_cast<std::int32_t>(e.task));
                return partner(match);
            case EventKind::SendCall:
                add(FMT_COMPILE(",,,{},,{},{},{},"), e.peer, e.subtask, static_cast<std::int32_t>(e.task), e.bytes);
                return partner(match);
            case EventKind::Partner:
                return add(FMT_COMPILE(",,,{},,{},,{},,,\r\n"), e.peer, e.subtask, e.task);
            case EventKind::Member:
                return add(FMT_COMPILE(",,,{},,,{},rank={};members={},,,\r\n"), e.peer, e.task, e.subtask, e.bytes);
            case EventKind::CollectiveBegin:
            case EventKind::CollectiveEnd:
                return add(FMT_COMPILE(",,,{},,{},{},{},,,\r\n"), e.peer, e.subtask, e.bytes, operation_name(e));
            case EventKind::ReceiveCall:
                return add(FMT_COMPILE(",,,,,{},{},,,,\r\n"), e.subtask, static_cast<std::int32_t>(e.task));
            case EventKind::ProcessStart:
            case EventKind::ProcessEnd:
                return add(FMT_COMPILE(",,,,,{},,{},,,\r\n"), e.peer, quoted(process_name(e)));
            case EventKind::NodeUsage:
                return add(FMT_COMPILE(",,,,,,{},high_us={};low_us={};links_percent={}/{}/{}/{},,,\r\n"), e.peer, e.task,
                           e.subtask, e.bytes & 0xFF, e.bytes >> 8 & 0xFF, e.bytes >> 16 & 0xFF, e.bytes >> 24);
            case EventKind::Synchronise:
                return add(FMT_COMPILE(",,,,,,{},,,,\r\n"), e.task);
            case EventKind::User:
                return add(FMT_COMPILE(",,,,,,{},{},,,\r\n"), e.task, e.subtask | std::uint64_t{e.bytes} << 32);
        }
        add(FMT_COMPILE(",,,,,,{},,,,\r\n"), static_cast<unsigned>(e.kind));
    }

    void partner(const Match& match) {
        if (match.second) add(FMT_COMPILE("n{}:{}"), match.node, match.seq);
        add(FMT_COMPILE(",,\r\n"));
    }

    fmt::memory_buffer line_;
    ByteOutput out_;
};

}  // namespace

std::unique_ptr<Exporter> make_csv(const std::string& out, bool force) {
    return std::make_unique<Csv>(out, force);
}

}  // namespace tmon_export
