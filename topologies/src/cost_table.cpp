#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <topologies/cost_table.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/nearest_name.hpp>

namespace topologies {
namespace {

using vocabulary::InputError;

Provenance provenance(const YamlValue& value) {
    const std::string letter = value.text();
    if (letter == "V") return Provenance::Seen;
    if (letter == "R") return Provenance::Recalled;
    if (letter == "D") return Provenance::Derived;
    if (letter == "A") return Provenance::Assumed;
    value.fail(fmt::format("'provenance' is '{}'; write V (seen), R (recalled), D (derived) or A (assumed)", letter));
}

Cost one_cost(const std::string& name, const YamlValue& row) {
    row.only_keys({"value", "unit", "provenance", "source"});
    Cost cost;
    cost.name = name;
    const YamlValue value = row.at("value");
    cost.value = value.number();
    if (cost.value < 0) value.fail(fmt::format("'value' is '{}', but costs start at 0; write 0 or more", value.text()));
    cost.unit = row.at("unit").one_of({"cycles", "ns", "us", "ms", "bits", "bytes", "MB/s", "records", "ppm", "percent"});
    cost.provenance = provenance(row.at("provenance"));
    const YamlValue source = row.at("source");
    cost.source = source.text();
    if (cost.source.empty())
        source.fail("'source' is empty; name the document and its section, or say why the value was assumed");
    return cost;
}

std::vector<Cost> all_costs(const YamlValue& root) {
    const YamlValue version = root.at("version");
    if (version.text() != "1") {
        version.fail(
            fmt::format("this program reads version 1 of the cost table, not '{}'; write 'version: 1'", version.text()));
    }
    root.only_keys({"version", "costs"});
    std::vector<Cost> rows;
    for (const auto& [name, row] : root.at("costs").entries()) rows.push_back(one_cost(name, row));
    return rows;
}

template <class Rows>
auto find_row(Rows& rows, std::string_view name) {
    return std::find_if(rows.begin(), rows.end(), [name](const Cost& cost) { return cost.name == name; });
}

}  // namespace

CostTable CostTable::parse(const std::string& text, const std::string& file_name) {
    CostTable table;
    table.rows_ = all_costs(YamlValue::parse(text, file_name));
    return table;
}

CostTable CostTable::read(const std::string& path) {
    CostTable table;
    table.rows_ = all_costs(YamlValue::read_file(path));
    return table;
}

CostTable CostTable::t800() {
    return parse(std::string(t800_costs()), t800_costs_name);
}

double CostTable::get(std::string_view name, std::string_view unit) const {
    const auto row = find_row(rows_, name);
    EXPECTS(row != rows_.end(), "cost_table.name");
    EXPECTS(row->unit == unit, "cost_table.unit");
    return row->value;
}

vocabulary::SimTime CostTable::time(std::string_view name) const {
    return vocabulary::SimTime::ps(std::llround(get(name, "us") * 1e6));
}

void CostTable::set(const std::string& name, double value, const std::string& where) {
    const auto row = find_row(rows_, name);
    if (row == rows_.end()) {
        const std::string hint = vocabulary::did_you_mean(name, names());
        throw InputError({where, 0, 0}, fmt::format("unknown cost '{}'{}", name,
                                                    hint.empty() ? "; 'magicwire costs' prints the names" : hint));
    }
    if (!std::isfinite(value) || value < 0) {
        throw InputError({where, 0, 0},
                         fmt::format("cost '{}' cannot be {}; costs start at 0, write 0 or more {}", name, value, row->unit));
    }
    row->value = value;
}

bool CostTable::has(std::string_view name) const {
    return find_row(rows_, name) != rows_.end();
}

std::vector<std::string> CostTable::names() const {
    std::vector<std::string> result;
    for (const Cost& cost : rows_) result.push_back(cost.name);
    return result;
}

}  // namespace topologies
