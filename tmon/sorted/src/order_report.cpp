#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_sorted/order_comparison.hpp>
#include <tmon_sorted/stream_report.hpp>

namespace tmon_sorted {
namespace {

using Json = nlohmann::ordered_json;

double percent(const OrderFigures& order, std::uint64_t backwards) {
    return order.messages > 0 ? 100.0 * static_cast<double>(backwards) / static_cast<double>(order.messages) : 0;
}
double mean_delay(const ComparedOrders& result, const OrderFigures& order) {
    return result.records > 0 ? static_cast<double>(order.delay_sum_us) / static_cast<double>(result.records) : 0;
}

WindowSample most(const ComparedOrders& result) {
    WindowSample sample;
    for (const WindowSample& one : result.window) {
        sample.total = std::max(sample.total, one.total);
        sample.unreported = std::max(sample.unreported, one.unreported);
    }
    return sample;
}

std::string truth_text(const ComparedOrders& result) {
    if (!result.truth) return {};
    const OrderTruth& truth = *result.truth;
    std::string text = fmt::format(
        "\none clock: truth, the same merges if all nodes had one clock; the rest comes from the clocks\n"
        "clocks: {:.3f} ms apart at the first records, {:.3f} ms at the last ones\n",
        truth.clocks_apart_us * 1e-3, truth.clocks_apart_at_end_us * 1e-3);
    if (truth.recorded_backwards > 0)
        text +=
            fmt::format("{} messages are recorded backwards even by true time: a task's send is recorded when it has left\n",
                        truth.recorded_backwards);
    if (!result.timed) return text;
    return text + fmt::format("delivery: mean {:.3f} ms, most {:.3f} ms; by node mean {:.3f} to {:.3f} ms\n",
                              truth.mean_delivery_us * 1e-3, truth.most_delivery_us * 1e-3, truth.least_node_us * 1e-3,
                              truth.most_node_us * 1e-3);
}

std::string traffic_text(const ComparedOrders& result) {
    std::string text;
    if (const auto& traffic = result.traffic)
        text = fmt::format("monitor: {} messages to the host, of them {} heartbeats; {} flushes; {} bytes without headers\n",
                           traffic->messages, traffic->heartbeats, traffic->flushes, traffic->bytes);
    if (result.against_heartbeats > 0)
        text += fmt::format("{} records came although a heartbeat had said that they would not\n", result.against_heartbeats);
    const bool waits = std::any_of(result.orders.begin(), result.orders.end(), [](const OrderFigures& order) {
        return order.name == tmon_order::merge_name(tmon_order::MergeKind::Promise);
    });
    if (waits && result.heartbeats == 0) {
        text += result.timed
                    ? "no heartbeat came, so wait+flush+heartbeat is as wait; set monitor.heartbeat and monitor.flush\n"
                    : "a trace keeps no heartbeats, so wait+flush+heartbeat is as wait\n";
    }
    return text;
}

Json truth_json(const ComparedOrders& result) {
    if (!result.truth) return {};
    const OrderTruth& truth = *result.truth;
    const auto timed = [&](double value) { return result.timed ? Json(value) : Json(); };
    return {{"recorded_backwards", truth.recorded_backwards},
            {"clocks_apart_us", truth.clocks_apart_us},
            {"clocks_apart_at_end_us", truth.clocks_apart_at_end_us},
            {"mean_delivery_us", timed(truth.mean_delivery_us)},
            {"most_delivery_us", timed(truth.most_delivery_us)},
            {"least_node_us", timed(truth.least_node_us)},
            {"most_node_us", timed(truth.most_node_us)}};
}

Json traffic_json(const ComparedOrders& result) {
    if (!result.traffic) return {};
    return {{"messages", result.traffic->messages},
            {"bytes", result.traffic->bytes},
            {"heartbeats", result.traffic->heartbeats},
            {"flushes", result.traffic->flushes}};
}

}  // namespace

std::string comparison_text(const ComparedOrders& result) {
    std::string text = fmt::format("{} records of {} nodes, {} lost\n\n{:<20} {:>9} {:>18} {:>11} {:>13} {:>13} {:>13} {:>7}\n",
                                   result.records, result.nodes, result.lost, "order", "messages", "backwards",
                                   result.truth ? "one clock" : "", "mean delay", "most", "stalled", "held");
    const auto out = std::back_inserter(text);
    const auto ms = [&](double us) { return result.timed ? fmt::format("{:.3f} ms", us * 1e-3) : std::string("-"); };
    for (const OrderFigures& order : result.orders) {
        fmt::format_to(
            out, "{:<20} {:>9} {:>10} {:>5.1f} % {:>11} {:>13} {:>13} {:>13} {:>7}\n", order.name, order.messages,
            order.backwards, percent(order, order.backwards),
            order.backwards_on_one_clock ? fmt::format("{:.1f} %", percent(order, *order.backwards_on_one_clock)) : "",
            ms(mean_delay(result, order)), ms(static_cast<double>(order.most_delay_us)),
            ms(static_cast<double>(order.stalled_us)), order.most_held);
    }
    text += truth_text(result) + traffic_text(result);
    const WindowSample largest = most(result);
    fmt::format_to(out, "\nwindow of the sort by cause: mean {:.2f}, most {} records; not yet reported mean {:.2f}, most {}\n",
                   result.mean_window, largest.total, result.mean_unreported, largest.unreported);
    if (result.given_up > 0 || result.late > 0)
        fmt::format_to(out, "{} records released on your word, {} came late\n", result.given_up, result.late);
    if (!result.standings.empty()) text += "streams: " + streams_text(result.standings, 2);
    if (result.left_out > 0) fmt::format_to(out, "left out: {} records, repeated or of unknown nodes\n", result.left_out);
    if (result.contradictions > 0)
        fmt::format_to(out, "{} records contradict each other; 'magicwire sort' names them\n", result.contradictions);
    if (!result.status.empty()) fmt::format_to(out, "trace: {}\n", result.status);
    if (result.interrupted) text += "interrupted: these are the figures of the run's beginning\n";
    return text;
}

Json comparison_json(const ComparedOrders& result) {
    const WindowSample largest = most(result);
    const auto timed = [&](auto value) { return result.timed ? Json(value) : Json(); };
    Json json = {{"schema", "magicwire.order/1"},
                 {"nodes", result.nodes},
                 {"records", result.records},
                 {"lost_records", result.lost},
                 {"left_out", result.left_out},
                 {"contradictions", result.contradictions},
                 {"given_up", result.given_up},
                 {"late", result.late},
                 {"streams", streams_json(result.standings)},
                 {"heartbeats", result.heartbeats},
                 {"against_heartbeats", result.against_heartbeats},
                 {"truth", truth_json(result)},
                 {"monitor", traffic_json(result)},
                 {"status", result.status.empty() ? Json() : Json(result.status)},
                 {"interrupted", result.interrupted},
                 {"orders", Json::array()},
                 {"window", {{"mean", result.mean_window}, {"most", largest.total}}},
                 {"unreported", {{"mean", result.mean_unreported}, {"most", largest.unreported}}}};
    for (const OrderFigures& order : result.orders)
        json["orders"].push_back(
            {{"name", order.name},
             {"messages", order.messages},
             {"backwards", order.backwards},
             {"backwards_percent", percent(order, order.backwards)},
             {"backwards_on_one_clock", order.backwards_on_one_clock ? Json(*order.backwards_on_one_clock) : Json()},
             {"delayed", timed(order.delayed)},
             {"mean_delay_us", timed(mean_delay(result, order))},
             {"most_delay_us", timed(order.most_delay_us)},
             {"stalled_us", timed(order.stalled_us)},
             {"most_held", order.most_held}});
    return json;
}

std::string window_csv(const ComparedOrders& result) {
    std::string text = "insertion,total,unreported\n";
    for (std::size_t i = 0; i < result.window.size(); ++i)
        fmt::format_to(std::back_inserter(text), "{},{},{}\n", i + 1, result.window[i].total, result.window[i].unreported);
    return text;
}

}  // namespace tmon_sorted
