#include "runs/order_sweep.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include <text/csv_field.hpp>
#include <text/output_file.hpp>
#include <tmon_pictures/curve_picture.hpp>

#include "frame/command.hpp"
#include "frame/run_options.hpp"

namespace cli {
namespace {

using Json = nlohmann::ordered_json;
using Line = std::vector<std::string>;

std::string number(const Json& value, const char* form) {
    return value.is_number() ? fmt::format(fmt::runtime(form), value.get<double>()) : "-";
}
std::string milliseconds(const Json& us) {
    return us.is_number() ? fmt::format("{:.3f}", us.get<double>() * 1e-3) : "-";
}

double percent(const Json& order, const char* of) {
    const double messages = order["messages"].get<double>();
    return messages > 0 ? 100 * order[of].get<double>() / messages : 0;
}

// Columns that each of them makes as wide as its widest cell; the last one as it is.
std::string aligned(const std::vector<Line>& table) {
    std::vector<std::size_t> widths;
    for (const Line& line : table) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const Line& line : table) {
        std::string row;
        for (std::size_t i = 0; i < line.size(); ++i) row += fmt::format("  {:>{}}", line[i], widths[i]);
        text += row + "\n";
    }
    return text;
}

std::string curve_name(const std::string& order, const std::vector<scenario::Setting>& point) {
    std::string name = order;
    for (std::size_t i = 1; i < point.size(); ++i) name += ", " + point[i].first + "=" + point[i].second;
    return name;
}

tmon_pictures::CurvePicture picture_of(const OrderSweep& sweep, const std::string& title, const std::string& label,
                                       const std::function<double(const Json&)>& figure) {
    const twin::SweptSetting& first = sweep.swept.front();
    const twin::SweptAxis x = twin::axis_of(first.values);
    tmon_pictures::CurvePicture picture;
    picture.title = title + " of " + sweep.scenario;
    picture.x = {first.name + x.unit, x.names ? tmon_pictures::Scale::Linear : tmon_pictures::fitting_scale(x.places)};
    if (x.names) picture.x.names = first.values;
    const std::size_t others = sweep.points.size() / first.values.size();
    std::vector<double> all;
    for (std::size_t other = 0; other < others; ++other) {
        std::vector<tmon_pictures::Curve> curves;
        for (std::size_t i = 0; i < first.values.size(); ++i) {
            const Json& figures = sweep.rows[i * others + other].figures;
            if (figures.is_null()) continue;
            const Json& orders = figures["orders"];
            for (std::size_t at = 0; at < orders.size(); ++at) {
                if (at == curves.size()) curves.push_back({curve_name(orders[at]["name"], sweep.points[other]), {}});
                all.push_back(figure(orders[at]));
                curves[at].points.push_back({x.places[i], all.back()});
            }
        }
        for (tmon_pictures::Curve& curve : curves) {
            std::sort(curve.points.begin(), curve.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
            picture.curves.push_back(std::move(curve));
        }
    }
    picture.y = {label, tmon_pictures::fitting_scale(all)};
    return picture;
}

}  // namespace

void check_swept(const ScenarioOptions& options, const std::vector<twin::SweptSetting>& swept) {
    std::vector<std::pair<std::string, std::string>> given;  // a name, and the option that gives it
    if (options.seed) given.emplace_back("seed", "--seed");
    if (!options.links.empty()) given.emplace_back("links", "--links");
    for (const scenario::Setting& setting : settings_of(options.set)) given.emplace_back(setting.first, "--set");
    for (const auto& [name, option] : given) {
        if (std::any_of(swept.begin(), swept.end(), [&name = name](const auto& one) { return one.name == name; }))
            throw CLI::ValidationError("--sweep " + name, "has a value by " + option + " as well; leave one of the two out");
    }
}

bool OrderSweep::all_measured() const {
    return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.failure.empty(); });
}

std::string sweep_text(const OrderSweep& sweep) {
    std::vector<Line> table(1);
    for (const twin::SweptSetting& one : sweep.swept) table[0].push_back(one.name);
    for (const char* head : {"order", "messages", "backwards %", "one clock %", "delay ms", "stalled ms", "held"})
        table[0].push_back(head);
    std::string failures;
    for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
        Line settings;
        for (const scenario::Setting& setting : sweep.points[i]) settings.push_back(setting.second);
        if (sweep.rows[i].figures.is_null()) {
            settings.push_back("-");
            table.push_back(settings);
            failures += fmt::format("  {}: {}\n", fmt::join(settings.begin(), settings.end() - 1, ", "), sweep.rows[i].failure);
            continue;
        }
        for (const Json& order : sweep.rows[i].figures["orders"]) {
            Line line = settings;
            settings.assign(settings.size(), "");  // once is enough
            const bool known = order["backwards_on_one_clock"].is_number();
            for (std::string& cell :
                 Line{order["name"], number(order["messages"], "{:.0f}"), fmt::format("{:.1f}", percent(order, "backwards")),
                      known ? fmt::format("{:.1f}", percent(order, "backwards_on_one_clock")) : "-",
                      milliseconds(order["mean_delay_us"]), milliseconds(order["stalled_us"]),
                      number(order["most_held"], "{:.0f}")})
                line.push_back(std::move(cell));
            table.push_back(std::move(line));
        }
    }
    return fmt::format("Orders of the records of {}, swept\n", sweep.scenario) + aligned(table) + failures +
           "  one clock: truth, the same if all nodes had one clock. delay: mean from arrival to report.\n";
}

std::string sweep_csv(const OrderSweep& sweep) {
    static const Line of_order = {"messages",   "backwards", "backwards_on_one_clock", "mean_delay_us", "most_delay_us",
                                  "stalled_us", "most_held"};
    static const Line of_run = {"records", "lost_records", "heartbeats"};
    std::string text;
    for (const twin::SweptSetting& one : sweep.swept) text += text::csv_field(one.name) + ",";
    text += fmt::format("order,{},{},clocks_apart_us,mean_delivery_us,monitor_messages,flushes,failure\n",
                        fmt::join(of_order, ","), fmt::join(of_run, ","));
    for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
        std::string settings;
        for (const scenario::Setting& setting : sweep.points[i]) settings += text::csv_field(setting.second) + ",";
        const Json& run = sweep.rows[i].figures;
        if (run.is_null()) {
            text += settings + std::string(of_order.size() + of_run.size() + 5, ',') + text::csv_field(sweep.rows[i].failure) +
                    "\n";
            continue;
        }
        const auto cell = [](const Json& of, const char* key) {
            return of.is_null() || of[key].is_null() ? "" : of[key].dump();
        };
        for (const Json& order : run["orders"]) {
            text += settings + order["name"].get<std::string>() + ",";
            for (const std::string& key : of_order) text += cell(order, key.c_str()) + ",";
            for (const std::string& key : of_run) text += cell(run, key.c_str()) + ",";
            text += cell(run["truth"], "clocks_apart_us") + "," + cell(run["truth"], "mean_delivery_us") + "," +
                    cell(run["monitor"], "messages") + "," + cell(run["monitor"], "flushes") + ",\n";
        }
    }
    return text;
}

Json sweep_json(const OrderSweep& sweep) {
    Json json{{"schema", "magicwire.order_sweep/1"}, {"scenario", sweep.scenario}, {"points", Json::array()}};
    for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
        Json point{{"settings", Json::object()}};
        for (const scenario::Setting& setting : sweep.points[i]) point["settings"][setting.first] = setting.second;
        point["failure"] = sweep.rows[i].failure.empty() ? Json() : Json(sweep.rows[i].failure);
        point["figures"] = sweep.rows[i].figures;
        json["points"].push_back(std::move(point));
    }
    return json;
}

void draw_sweep(const OrderSweep& sweep, const std::string& path, bool replace) {
    tmon_pictures::draw_curves({picture_of(sweep, "Messages backwards", "backwards (%)",
                                           [](const Json& order) { return percent(order, "backwards"); }),
                                picture_of(sweep, "Added delay", "mean delay (ms)",
                                           [](const Json& order) { return order["mean_delay_us"].get<double>() * 1e-3; })},
                               path, replace ? text::Replace::Yes : text::Replace::No);
}

}  // namespace cli
