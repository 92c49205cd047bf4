#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <text/csv_field.hpp>
#include <tmon_foreign/foreign_sort.hpp>
#include <tmon_sorted/sorted_lines.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_foreign {
namespace {

using tmon_order::Assumed;
using tmon_order::SortedRecord;
using tmon_sorted::assumed_name;
using tmon_sorted::id_text;
using Json = nlohmann::ordered_json;

double us(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-3;
}

std::string_view name_of(const ForeignTrace& trace, const ForeignEvent& event) {
    return event.name != none ? std::string_view(trace.names[event.name]) : std::string_view();
}

// The words of a PICL line around its time.
std::string_view before(const ForeignTrace& trace, const ForeignEvent& event) {
    return std::string_view(trace.text).substr(event.before, event.behind - event.before);
}
std::string_view behind(const ForeignTrace& trace, const ForeignEvent& event) {
    return std::string_view(trace.text).substr(event.behind, event.behind_end - event.behind);
}

std::string act_text(const ForeignTrace& trace, const ForeignEvent& event) {
    const std::string_view kind = kind_name(event.kind);
    if (event.kind == Kind::Send || event.kind == Kind::Receive)
        return fmt::format("{} tag {} {} {} ({} bytes)", kind, event.tag, event.kind == Kind::Send ? "to" : "from",
                           event.partner != none ? fmt::format("n{}", event.partner) : "?", event.bytes);
    if (event.behind_end > 0) return fmt::format("{} {} {}", kind, before(trace, event), behind(trace, event));
    return event.name != none ? fmt::format("{} {}", kind, name_of(trace, event)) : std::string(kind);
}

std::string seconds_text(std::int64_t ns) {
    const std::int64_t micros = std::max<std::int64_t>(ns, 0) / 1000;
    return fmt::format("{}.{:06}", micros / 1'000'000, micros % 1'000'000);
}
std::string two_numbers(std::int64_t ns) {
    const std::int64_t micros = std::max<std::int64_t>(ns, 0) / 1000;
    return fmt::format("{} {}", micros / 1'000'000, micros % 1'000'000);
}

// An event of OTF2 as PICL of 1992. Regions have their numbers as event types, as users' own events do.
std::string as_new(const ForeignEvent& event, const std::string& time) {
    const std::uint32_t node = event.stream;
    const std::int64_t partner = event.partner != none ? std::int64_t{event.partner} : -1;
    switch (event.kind) {
        case Kind::Send:
            return fmt::format("-3 -21 {0} {1} -1 3 2 {2} {3} {4}\n-4 -21 {0} {1} -1 0\n", time, node, event.bytes, event.tag,
                               partner);
        case Kind::Receive:
            return fmt::format("-3 -51 {0} {1} -1 2 2 {3} {4}\n-4 -51 {0} {1} -1 3 2 {2} {3} {4}\n", time, node, event.bytes,
                               event.tag, partner);
        case Kind::Enter:
        case Kind::CollectiveBegin:
            return event.name != none ? fmt::format("-3 {} {} {} -1 0\n", event.name, time, node) : "";
        case Kind::Leave:
        case Kind::CollectiveEnd:
            return event.name != none ? fmt::format("-4 {} {} {} -1 0\n", event.name, time, node) : "";
        default:
            return event.name != none ? fmt::format("-2 {} {} {} -1 0\n", event.name, time, node) : "";
    }
}
std::string as_old(const ForeignEvent& event, const std::string& time) {
    const std::uint32_t node = event.stream;
    const std::int64_t partner = event.partner != none ? std::int64_t{event.partner} : -1;
    if (event.kind == Kind::Send) return fmt::format("4 {} {} {} {} {}\n", time, node, partner, event.tag, event.bytes);
    if (event.kind == Kind::Receive) return fmt::format("6 {} {} {} {} {}\n", time, node, partner, event.tag, event.bytes);
    if (event.name == none) return "";
    if (event.kind == Kind::Enter || event.kind == Kind::CollectiveBegin)
        return fmt::format("20 {} {} {} 0 0\n", time, node, event.name);
    if (event.kind == Kind::Leave || event.kind == Kind::CollectiveEnd)
        return fmt::format("21 {} {} {} 0 0\n", time, node, event.name);
    return fmt::format("15 {} {} {}\n", time, node, event.name);
}

// A text within quotes: without those of its own.
std::string plain(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c == '"' || c < ' '; }, '\'');
    return text;
}

}  // namespace

std::string text_line(const ForeignTrace& trace, const ForeignItem& item) {
    const SortedRecord& order = item.order;
    std::string text = fmt::format("{:>16.3f} us  {:<14} {:<42}{}", us(order.final_ns), id_text(order.id),
                                   act_text(trace, *item.event), tmon_sorted::order_text(order));
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::string json_line(const ForeignTrace& trace, const ForeignItem& item) {
    const SortedRecord& order = item.order;
    const ForeignEvent& event = *item.event;
    Json json = {{"what", event.kind == Kind::Lost  ? "lost"
                          : event.kind == Kind::End ? "end"
                                                    : "record"},
                 {"node", order.id.stream},
                 {"id", id_text(order.id)},
                 {"seq", order.id.number},
                 {"kind", kind_name(event.kind)}};
    const std::string& stream = trace.streams[order.id.stream].name;
    json["stream"] = stream.empty() ? Json() : Json(stream);
    json["name"] = event.name != none ? Json(name_of(trace, event)) : Json();
    const bool message = event.kind == Kind::Send || event.kind == Kind::Receive;
    json["peer"] = message && event.partner != none ? Json(event.partner) : Json();
    json["tag"] = message ? Json(event.tag) : Json();
    json["bytes"] = message ? Json(event.bytes) : Json();
    if (event.behind_end > 0) json["text"] = fmt::format("{} {}", before(trace, event), behind(trace, event));
    json["raw_us"] = us(order.raw_ns);
    json["final_us"] = us(order.final_ns);
    json["forced_by"] = order.forced_by && order.final_ns != order.raw_ns ? Json(id_text(*order.forced_by)) : Json();
    json["source"] = Json();
    if (order.source)
        json["source"] = {
            {"id", id_text(order.source->id)}, {"raw_us", us(order.source->raw_ns)}, {"final_us", us(order.source->final_ns)}};
    json["assumed"] = order.assumed != Assumed::Nothing ? Json(assumed_name(order.assumed)) : Json();
    if (order.contradicted) json["contradicted"] = id_text(*order.contradicted);
    // Names of other programs need not be UTF-8.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_head() {
    return "node,seq,kind,name,raw_ns,final_ns,peer,tag,bytes,source,assumed\r\n";
}

std::string csv_line(const ForeignTrace& trace, const ForeignItem& item) {
    const SortedRecord& order = item.order;
    const ForeignEvent& event = *item.event;
    const bool message = event.kind == Kind::Send || event.kind == Kind::Receive;
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{}\r\n", order.id.stream, order.id.number, kind_name(event.kind),
                       text::csv_field(std::string(name_of(trace, event))), order.raw_ns, order.final_ns,
                       event.partner != none ? fmt::format("{}", event.partner) : "",
                       message ? fmt::format("{}", event.tag) : "", message ? fmt::format("{}", event.bytes) : "",
                       order.source ? id_text(order.source->id) : "",
                       order.assumed != Assumed::Nothing ? assumed_name(order.assumed) : "");
}

std::string picl_head(const ForeignTrace& trace, Format to) {
    if (trace.format == to) return "";
    if (trace.format != Format::Otf2)
        throw vocabulary::RequestError(fmt::format("{}: is PICL of {}; give --to {}", trace.file,
                                                   trace.format == Format::Picl ? 1992 : 1990,
                                                   trace.format == Format::Picl ? "picl" : "picl-old"));
    std::string text;
    for (std::size_t i = 0; i < trace.names.size(); ++i) {
        const std::string words = plain(fmt::format("event {}: {}", i, trace.names[i]));
        text += to == Format::Picl ? fmt::format("-7 -911 0.000000 -1 -1 1 \"%s\" \"{}\"\n", words)
                                   : fmt::format("16 0 0 -32768 \"{}\"\n", words);
    }
    return text;
}

std::string picl_line(const ForeignTrace& trace, const ForeignItem& item, Format to) {
    const ForeignEvent& event = *item.event;
    const std::string time = to == Format::Picl ? seconds_text(item.order.final_ns) : two_numbers(item.order.final_ns);
    if (trace.format != Format::Otf2) return fmt::format("{} {} {}\n", before(trace, event), time, behind(trace, event));
    return to == Format::Picl ? as_new(event, time) : as_old(event, time);
}

}  // namespace tmon_foreign
