// `order --sweep`: every combination of some settings, each run in a process of its own, as one table, CSV or picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <twin/overhead_sweep.hpp>

#include "frame/scenario_options.hpp"

namespace cli {

// Refuses a swept setting that also has a value on the command line.
void check_swept(const ScenarioOptions& options, const std::vector<twin::SweptSetting>& swept);

struct OrderSweep {
    std::string scenario;
    std::vector<twin::SweptSetting> swept;
    std::vector<std::vector<scenario::Setting>> points;
    struct Row {
        nlohmann::ordered_json figures;  // magicwire.order/1 of the point; null: see failure
        std::string failure;
    };
    std::vector<Row> rows;  // one a point

    bool all_measured() const;
};

// A line for each order of each point; at most 128 columns without the settings.
std::string sweep_text(const OrderSweep& sweep);
std::string sweep_csv(const OrderSweep& sweep);
nlohmann::ordered_json sweep_json(const OrderSweep& sweep);  // {"schema": "magicwire.order_sweep/1", ...}
// Draws backwards messages and added delays over the first setting, a curve for each order and combination of the others.
void draw_sweep(const OrderSweep& sweep, const std::string& path, bool replace);

}  // namespace cli
