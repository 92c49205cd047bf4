// Exporter: writes one format. It gets the content of a trace item by item, in the order of time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tmon_export/export.hpp>
#include <tmon_streams/trace_merge.hpp>
#include <trace_record/event_names.hpp>

namespace tmon_export {

using tmon_streams::TraceItem;
using trace_record::classes_text;
using trace_record::Event;
using trace_record::event_kinds;
using trace_record::EventKind;
using trace_record::kind_name;
using trace_record::loss_cause_name;
using trace_record::LossRange;

// Facts known before the first item.
struct ExportHead {
    std::string manifest;  // JSON text, with what the closing block adds
    std::string status;    // of the file
    std::uint16_t nodes = 0;
    std::string clock;                                 // name of the clock of main_ns
    std::array<std::uint64_t, event_kinds> of_kind{};  // records
    bool unload_times = false;                         // the trace has the times of unloads
    std::int64_t first_ns = 0;                         // main clock of the first item
    std::uint64_t has(EventKind kind) const { return of_kind[static_cast<std::size_t>(kind)]; }
};

// A send and its receive, abstract or of the kernel. The number is made of the event id of whichever comes first.
struct Match {
    std::uint64_t flow = 0;  // 0: none, or not yet
    bool second = false;     // the other end came before
    std::uint16_t node = 0;  // node of the other end, when `second`
    std::uint32_t seq = 0;
};

class Exporter {
public:
    virtual ~Exporter() = default;
    virtual void begin(const ExportHead& head) = 0;
    // `match`: for a record that is an abstract send or receive, or one of the kernel's messages.
    virtual void item(const TraceItem& item, const Match& match) = 0;
    // Another receive of the cast whose send item() has just got.
    virtual void also_joined(const TraceItem&, const Match&) {}
    virtual void end(const ExportResult& result) = 0;
    // Gives the output its name.
    virtual void close() = 0;
};

std::unique_ptr<Exporter> make_perfetto(const std::string& out, bool force);
std::unique_ptr<Exporter> make_sqlite(const std::string& out, bool force);
std::unique_ptr<Exporter> make_csv(const std::string& out, bool force);
std::unique_ptr<Exporter> make_picl(const std::string& out, bool force);
std::unique_ptr<Exporter> make_picl_old(const std::string& out, bool force);
std::unique_ptr<Exporter> make_vcd(const std::string& out, bool force);
std::unique_ptr<Exporter> make_ctf(const std::string& out, bool force);

// The printable ones of the 12 characters in ProcessStart and ProcessEnd.
using trace_record::process_name;
// A message's event number as a name: "link 2" (a circuit over it), "loadd" (a service), or "event 17" (a program's own).
std::string event_name(std::int32_t number);
// The operation of a CollectiveBegin or CollectiveEnd: "all-to-all".
inline std::string_view operation_name(const trace_record::Event& event) {
    return trace_record::collective_name(static_cast<trace_record::Collective>(event.task & 0xFF));
}
// "17 sends and receives were not joined": the last remark of formats that show messages.
std::string alone_text(const ExportResult& result);

}  // namespace tmon_export
