// CSV (RFC 4180): one table with everything in the order of time; docs/export.md lists the columns.
#include <fmt/format.h>

#include <tmon/thesis_files.hpp>

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
                return record(item, match);
            case TraceItem::Kind::Lost:
                return out_.put(fmt::format("lost,{},{},{},,{},{},{},,,,,,,,,,{},{}\r\n", item.node, item.loss.first_seq,
                                            item.loss.last_seq, item.main_ns, item.node_us, item.until_us,
                                            tmon::loss_cause_name(item.loss.cause), classes_text(item.loss.classes)));
            case TraceItem::Kind::Unloaded:
                return out_.put(
                    fmt::format("unloaded,{},,,,{},{},,,,,,,,,{},,,\r\n", item.node, item.main_ns, item.node_us, item.count));
            case TraceItem::Kind::End:
                return out_.put(fmt::format("end,{},,,{},{},{},,,,,,,,,,,,\r\n", item.node, item.finished ? "finished" : "open",
                                            item.main_ns, item.node_us));
        }
    }

    void end(const ExportResult& result) override {
        out_.put(fmt::format("trace,,,,{},,,,,,,,,,,,,,\r\n", quoted(result.status)));
    }
    void close() override { out_.close(); }

private:
    void record(const TraceItem& item, const Match& match) {
        const Event& e = item.event;
        const std::string head =
            fmt::format("record,{},{},,{},{},{},,", item.node, e.seq, kind_name(e.kind), item.main_ns, item.node_us);
        const std::string partner = match.second ? fmt::format("n{}:{}", match.node, match.seq) : std::string();
        switch (e.kind) {
            case EventKind::Send:
            case EventKind::Receive:
                return out_.put(head + fmt::format("{},{:04x},{},{},{},,,,{},,\r\n", e.task, e.subtask, e.is_result, e.peer,
                                                   e.bytes, partner));
            case EventKind::MessageSend:
            case EventKind::MessageReceive:
                return out_.put(head + fmt::format(",,,{},{},{},{},,,,\r\n", e.peer, e.bytes, e.subtask,
                                                   static_cast<std::int32_t>(e.task)));
            case EventKind::ReceiveCall:
                return out_.put(head + fmt::format(",,,,,{},{},,,,\r\n", e.subtask, static_cast<std::int32_t>(e.task)));
            case EventKind::ProcessStart:
            case EventKind::ProcessEnd:
                return out_.put(head + fmt::format(",,,,,{},,{},,,\r\n", e.peer, quoted(process_name(e))));
            case EventKind::NodeUsage:
                return out_.put(head + fmt::format(",,,,,,{},high_us={};low_us={};links_percent={}/{}/{}/{},,,\r\n", e.peer,
                                                   e.task, e.subtask, e.bytes & 0xFF, e.bytes >> 8 & 0xFF, e.bytes >> 16 & 0xFF,
                                                   e.bytes >> 24));
            case EventKind::Synchronise:
                return out_.put(head + fmt::format(",,,,,,{},,,,\r\n", e.task));
            case EventKind::User:
                return out_.put(head + fmt::format(",,,,,,{},{},,,\r\n", e.task, e.subtask | std::uint64_t{e.bytes} << 32));
        }
        out_.put(head + fmt::format(",,,,,,{},,,,\r\n", static_cast<unsigned>(e.kind)));
    }

    ByteOutput out_;
};

}  // namespace

std::unique_ptr<Exporter> make_csv(const std::string& out, bool force) {
    return std::make_unique<Csv>(out, force);
}

}  // namespace tmon_export
