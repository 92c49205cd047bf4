#include <tmon_sorted/sorted_lines.hpp>

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trace_record/event_names.hpp>

#include "microseconds.hpp"

namespace tmon_sorted {
namespace {

using tmon_order::Assumed;
using tmon_order::RecordId;
using tmon_order::SortedItem;
using tmon_order::SortedRecord;
using tmon_order::StreamEnding;
using trace_record::Event;
using trace_record::EventKind;
using Kind = SortedRecord::Kind;
using Json = nlohmann::ordered_json;

// A node of 65535 is not known.
std::string node_text(std::uint16_t node) {
    return node == trace_record::unknown_peer ? std::string("?") : fmt::format("n{}", node);
}

std::string act_text(const Event& event) {
    const std::string_view name = trace_record::kind_name(event.kind);
    switch (event.kind) {
        case EventKind::Send:
        case EventKind::Receive: {
            const bool send = event.kind == EventKind::Send;
            std::string text = fmt::format("{} {} {}", name, event.is_result != 0 ? "result" : "task", event.task);
            if (event.subtask != 0) text += fmt::format(".{:04x}", event.subtask);
            return text + fmt::format(" {} {}", send ? "to" : "from", node_text(event.peer));
        }
        case EventKind::MessageSend:
        case EventKind::MessageReceive:
            return fmt::format("{} event {} {} {}", name, static_cast<std::int32_t>(event.task),
                               event.kind == EventKind::MessageSend ? "to" : "from", node_text(event.peer));
        case EventKind::SendCall:
            return fmt::format(
                "{} {} event {} to {}", name, event.bytes, static_cast<std::int32_t>(event.task),
                event.peer < trace_record::first_cast ? node_text(event.peer) : fmt::format("cast {}", event.peer));
        case EventKind::Partner:
            return fmt::format("{} message {} of {}", name, event.task, node_text(event.peer));
        case EventKind::Member:
            return fmt::format("{} {} of cast {}: {}", name, event.subtask, event.task, node_text(event.peer));
        case EventKind::CollectiveBegin:
        case EventKind::CollectiveEnd:
            return fmt::format("{} {} {} of cast {}", name,
                               trace_record::collective_name(static_cast<trace_record::Collective>(event.task & 0xFF)),
                               event.bytes, event.peer);
        case EventKind::ReceiveCall:
            return fmt::format("{} event {}", name, static_cast<std::int32_t>(event.task));
        case EventKind::ProcessStart:
        case EventKind::ProcessEnd:
            return fmt::format("{} {}", name, trace_record::process_name(event));
        default:
            break;
    }
    return std::string(name);
}

Json json_of(RecordId id) {
    return id_text(id);
}

// The counts that are not 0, by node.
Json stamp_json(const tmon_order::OrderStamps::Stamp& stamp) {
    Json json = Json::object();
    for (std::size_t node = 0; node < stamp.size(); ++node) {
        if (stamp[node] > 0) json[fmt::format("n{}", node)] = stamp[node];
    }
    return json;
}

void add_event(Json& json, const Event& event) {
    json["kind"] = trace_record::kind_name(event.kind);
    json["task"] = event.task;
    json["subtask"] = event.subtask;
    json["bytes"] = event.bytes;
    json["peer"] = event.peer;
    json["is_result"] = event.is_result != 0;
}

}  // namespace

std::string_view assumed_name(Assumed assumed) {
    switch (assumed) {
        case Assumed::Nothing:
            break;
        case Assumed::Lost:
            return "lost";
        case Assumed::NeverBegan:
            return "never-began";
        case Assumed::StreamEnded:
            return "stream-ended";
        case Assumed::GivenUp:
            return "given-up";
        case Assumed::LostOrCrossed:
            return "lost-or-crossed";
        case Assumed::Crossed:
            return "crossed";
        case Assumed::Cycle:
            return "cycle";
    }
    return "nothing";
}

std::string_view ending_name(StreamEnding ending) {
    switch (ending) {
        case StreamEnding::Finished:
            return "finished";
        case StreamEnding::Crashed:
            return "crashed";
        case StreamEnding::Open:
            break;
    }
    return "open";
}

std::string id_text(RecordId id) {
    return fmt::format("n{}:{}", id.stream, id.number);
}

std::string order_text(const SortedRecord& order) {
    std::string text;
    if (order.source) text += fmt::format("  <- {}", id_text(order.source->id));
    if (order.kind == Kind::Record && order.final_ns != order.raw_ns)
        text += fmt::format("  {:+.3f}", us(order.final_ns - order.raw_ns));
    if (order.forced_by && order.final_ns != order.raw_ns) text += fmt::format(" by {}", id_text(*order.forced_by));
    if (order.assumed != Assumed::Nothing) text += fmt::format("  assumed: {}", assumed_name(order.assumed));
    if (order.contradicted) text += fmt::format(" with {}", id_text(*order.contradicted));
    if (order.late) text += "  late";
    return text;
}

std::string text_line(const SortedItem& item) {
    const SortedRecord& order = item.order;
    std::string text = fmt::format("{:>16.3f} us  ", us(order.final_ns));
    const auto out = std::back_inserter(text);
    if (order.kind == Kind::Record) {
        fmt::format_to(out, "{:<14} {:<42}{}", id_text(order.id), act_text(*item.event), order_text(order));
    } else if (order.kind == Kind::Lost) {
        const std::string range =
            order.id.number == order.last ? id_text(order.id) : fmt::format("{}-{}", id_text(order.id), order.last);
        fmt::format_to(out, "{:<14} lost ({}){}", range, trace_record::loss_cause_name(item.loss->cause), order_text(order));
    } else {
        fmt::format_to(out, "{:<14} end of the stream: {}", fmt::format("n{}", order.id.stream), ending_name(order.ending));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::string json_line(const SortedItem& item, std::optional<std::uint64_t> reported_us) {
    const SortedRecord& order = item.order;
    Json json;
    json["what"] = order.kind == Kind::Record ? "record" : order.kind == Kind::Lost ? "lost" : "end";
    json["node"] = order.id.stream;
    if (order.kind == Kind::Record) {
        json["id"] = json_of(order.id);
        json["seq"] = order.id.number;
        add_event(json, *item.event);
        json["raw_us"] = us(order.raw_ns);
    } else if (order.kind == Kind::Lost) {
        json["first"] = order.id.number;
        json["last"] = order.last;
        json["cause"] = trace_record::loss_cause_name(item.loss->cause);
        json["classes"] = trace_record::classes_text(item.loss->classes);
    } else {
        json["state"] = ending_name(order.ending);
        json["records"] = order.id.number;
    }
    json["final_us"] = us(order.final_ns);
    if (order.kind == Kind::Record) {
        json["forced_by"] = order.forced_by && order.final_ns != order.raw_ns ? json_of(*order.forced_by) : Json();
        json["source"] = Json();
        if (order.source)
            json["source"] = {{"id", json_of(order.source->id)},
                              {"raw_us", us(order.source->raw_ns)},
                              {"final_us", us(order.source->final_ns)}};
        json["assumed"] = order.assumed != Assumed::Nothing ? Json(assumed_name(order.assumed)) : Json();
        if (order.contradicted) json["contradicted"] = json_of(*order.contradicted);
        if (item.stamp != nullptr) json["stamp"] = stamp_json(*item.stamp);
    }
    if (order.kind != Kind::End) json["late"] = order.late;
    if (reported_us) json["reported_us"] = *reported_us;
    return json.dump() + "\n";
}

}  // namespace tmon_sorted
