#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_sorted/order_comparison.hpp>

namespace tmon_sorted {
namespace {

using Json = nlohmann::ordered_json;

double percent(const OrderFigures& order) {
    return order.messages > 0 ? 100.0 * static_cast<double>(order.backwards) / static_cast<double>(order.messages) : 0;
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

}  // namespace

std::string comparison_text(const ComparedOrders& result) {
    std::string text =
        fmt::format("{} records of {} nodes, {} lost\n\n{:<10} {:>10} {:>18} {:>14} {:>14} {:>12} {:>10}\n", result.records,
                    result.nodes, result.lost, "order", "messages", "backwards", "mean delay", "most", "stalled", "held");
    const auto out = std::back_inserter(text);
    const auto ms = [&](double us) { return result.timed ? fmt::format("{:.3f} ms", us * 1e-3) : std::string("-"); };
    for (const OrderFigures& order : result.orders) {
        fmt::format_to(out, "{:<10} {:>10} {:>10} {:>5.1f} % {:>14} {:>14} {:>12} {:>10}\n", order.name, order.messages,
                       order.backwards, percent(order), ms(mean_delay(result, order)),
                       ms(static_cast<double>(order.most_delay_us)), ms(static_cast<double>(order.stalled_us)),
                       order.most_held);
    }
    const WindowSample largest = most(result);
    fmt::format_to(out, "\nwindow of the sort by cause: mean {:.2f}, most {} records; not yet reported mean {:.2f}, most {}\n",
                   result.mean_window, largest.total, result.mean_unreported, largest.unreported);
    if (result.left_out > 0) fmt::format_to(out, "left out: {} records, repeated or of unknown nodes\n", result.left_out);
    if (result.contradictions > 0)
        fmt::format_to(out, "{} records contradict each other; 'magicwire sort' names them\n", result.contradictions);
    if (!result.status.empty()) fmt::format_to(out, "trace: {}\n", result.status);
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
                 {"status", result.status.empty() ? Json() : Json(result.status)},
                 {"orders", Json::array()},
                 {"window", {{"mean", result.mean_window}, {"most", largest.total}}},
                 {"unreported", {{"mean", result.mean_unreported}, {"most", largest.unreported}}}};
    for (const OrderFigures& order : result.orders)
        json["orders"].push_back({{"name", order.name},
                                  {"messages", order.messages},
                                  {"backwards", order.backwards},
                                  {"backwards_percent", percent(order)},
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
