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

template <class Rows>
auto find_row(Rows& rows, std::string_view name) {
    return std::find_if(rows.begin(), rows.end(), [name](const Cost& cost) { return cost.name == name; });
}

bool is_time_or_rate(const std::string& unit) {
    return unit == "ns" || unit == "us" || unit == "ms" || unit == "MB/s";
}

// The program fixes how it uses a cost: a table may leave the key out, and may not contradict.
PaidIn paid_in(const Cost& cost, const YamlValue& row, const std::vector<Cost>& known) {
    const auto stated = row.find("paid_in");
    if (!is_time_or_rate(cost.unit)) {
        if (stated)
            stated->fail(fmt::format("'paid_in' belongs to costs in ns, us, ms or MB/s, and '{}' is in {}; leave it out",
                                     cost.name, cost.unit));
        return cost.unit == "cycles" ? PaidIn::Cycles : cost.unit == "bits" ? PaidIn::Time : PaidIn::Neither;
    }
    const auto row_of_t800 = find_row(known, cost.name);
    const bool is_known = row_of_t800 != known.end() && is_time_or_rate(row_of_t800->unit);
    if (!stated) {
        if (known.empty()) row.fail("'paid_in' is missing; write 'paid_in: cycles' or 'paid_in: time'");
        return is_known ? row_of_t800->paid_in : PaidIn::Time;
    }
    const PaidIn result = stated->one_of({"cycles", "time"}) == "cycles" ? PaidIn::Cycles : PaidIn::Time;
    if (is_known && result != row_of_t800->paid_in) {
        const char* right = paid_in_text(row_of_t800->paid_in);
        stated->fail(fmt::format("'{}' is paid in {}, since the program charges it so; write 'paid_in: {}' or leave it out",
                                 cost.name, right, right));
    }
    return result;
}

Cost one_cost(const std::string& name, const YamlValue& row, const std::vector<Cost>& known) {
    row.only_keys({"value", "unit", "paid_in", "provenance", "source"});
    Cost cost;
    cost.name = name;
    const YamlValue value = row.at("value");
    cost.value = value.number();
    if (cost.value < 0) value.fail(fmt::format("'value' is '{}', but costs start at 0; write 0 or more", value.text()));
    const YamlValue unit = row.at("unit");
    cost.unit = unit.one_of({"cycles", "ns", "us", "ms", "bits", "bytes", "MB/s", "records", "ppm", "percent"});
    if (const auto charged = find_row(known, name); charged != known.end() && charged->unit != cost.unit)
        unit.fail(
            fmt::format("'{}' is charged in {}; write 'unit: {}' and convert the value", name, charged->unit, charged->unit));
    cost.paid_in = paid_in(cost, row, known);
    cost.provenance = provenance(row.at("provenance"));
    const YamlValue source = row.at("source");
    cost.source = source.text();
    if (cost.source.empty())
        source.fail("'source' is empty; name the document and its section, or say why the value was assumed");
    return cost;
}

// `known`: the rows of the T800's table; empty while that one is read.
std::vector<Cost> all_costs(const YamlValue& root, const std::vector<Cost>& known) {
    const YamlValue version = root.at("version");
    if (version.text() != "1") {
        version.fail(
            fmt::format("this program reads version 1 of the cost table, not '{}'; write 'version: 1'", version.text()));
    }
    root.only_keys({"version", "costs"});
    std::vector<Cost> rows;
    for (const auto& [name, row] : root.at("costs").entries()) rows.push_back(one_cost(name, row, known));
    return rows;
}

const std::vector<Cost>& rows_of_t800() {
    static const std::vector<Cost> rows =
        all_costs(YamlValue::parse(std::string(t800_costs()), t800_costs_name), std::vector<Cost>());
    return rows;
}

}  // namespace

const char* paid_in_text(PaidIn paid_in) {
    return paid_in == PaidIn::Cycles ? "cycles" : paid_in == PaidIn::Time ? "time" : "-";
}

CostTable CostTable::parse(const std::string& text, const std::string& file_name) {
    CostTable table;
    table.rows_ = all_costs(YamlValue::parse(text, file_name), rows_of_t800());
    return table;
}

CostTable CostTable::read(const std::string& path) {
    CostTable table;
    const YamlValue root = YamlValue::read_file(path);
    table.rows_ = all_costs(root, rows_of_t800());
    for (const Cost& cost : rows_of_t800()) {
        if (find_row(table.rows_, cost.name) == table.rows_.end())
            root.at("costs").fail(
                fmt::format("'{}' is missing, but the program charges it; add its row, or change a copy of "
                            "topologies/costs/t800.yaml",
                            cost.name));
    }
    return table;
}

CostTable CostTable::t800() {
    CostTable table;
    table.rows_ = rows_of_t800();
    return table;
}

double CostTable::get(std::string_view name, std::string_view unit) const {
    const auto row = find_row(rows_, name);
    EXPECTS(row != rows_.end(), "cost_table.name");
    EXPECTS(row->unit == unit, "cost_table.unit");
    return row->value;
}

vocabulary::SimTime CostTable::duration(std::string_view name, PaidIn paid_in) const {
    const double us = get(name, "us");
    EXPECTS(find_row(rows_, name)->paid_in == paid_in, "cost_table.paid_in");
    return vocabulary::SimTime::ps(std::llround(us * 1e6));
}

vocabulary::SimTime CostTable::time(std::string_view name) const {
    return duration(name, PaidIn::Time);
}

vocabulary::SimTime CostTable::work(std::string_view name) const {
    return duration(name, PaidIn::Cycles);
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
