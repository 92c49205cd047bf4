#include <validation/validation.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include <forks/child_pool.hpp>
#include <topologies/cost_settings.hpp>
#include "group.hpp"

namespace validation {
namespace {

using vocabulary::InputError;

std::vector<Group> all_groups() {
    std::vector<Group> groups;
    add_link_groups(groups);
    add_wire_groups(groups);
    add_message_groups(groups);
    add_processor_groups(groups);
    add_timer_groups(groups);
    add_commstime_groups(groups);
    add_memory_groups(groups);
    add_kernel_groups(groups);
    add_clock_groups(groups);
    add_code_groups(groups);
    return groups;
}

bool wanted(const Group& group, const Figure& figure, const std::string& only) {
    return only.empty() || only == group.name || only == figure.name;
}

// A figure whose measurement failed has no value; why it failed is told on standard error.
void take_values(Group& group, forks::ChildAnswer& answer) {
    if (answer.how != forks::ChildAnswer::How::Done) {
        std::fprintf(stderr, "magicwire: measuring '%s': %s\n", group.name.c_str(), answer.failure.c_str());
        return;
    }
    const auto values = forks::Bytes(std::move(answer.bytes)).get_all<double>();
    if (values.size() != group.figures.size()) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) group.figures[i].model = values[i];  // a message that never arrived has no rate
    }
}

void check_only(const std::vector<Group>& groups, const std::string& only) {
    std::vector<std::string> names;
    for (const Group& group : groups) {
        names.push_back(group.name);
        for (const Figure& figure : group.figures) {
            if (wanted(group, figure, only)) return;
            names.push_back(figure.name);
        }
    }
    const std::string hint = vocabulary::did_you_mean(only, names);
    throw InputError({"--only " + only, 0, 0}, "there is no such figure or group of figures" +
                                                   (hint.empty() ? "; 'magicwire validate --json' has the names" : hint));
}

}  // namespace

std::string group_name(const std::string& name, topologies::LinkLevel level) {
    return (level == topologies::LinkLevel::Byte ? "byte_" : "") + name;
}

const char* remark(topologies::LinkLevel level) {
    return level == topologies::LinkLevel::Byte ? ", bytes" : "";
}

const char* proof_text(Proof proof) {
    static constexpr const char* texts[] = {"independent", "fitted", "rule", "charged"};
    return texts[static_cast<std::size_t>(proof)];
}

double Figure::error_percent() const {
    if (model < least) return 100 * (model - least) / least;
    if (model > most) return 100 * (model - most) / most;
    return std::isnan(model) ? model : 0;
}

bool Figure::good() const {
    return std::abs(error_percent()) <= tolerance_percent;  // false when it is not a number
}

std::vector<std::string> validation_names() {
    std::vector<std::string> names;
    for (const Group& group : all_groups()) {
        for (const Figure& figure : group.figures) names.push_back(figure.name);
    }
    return names;
}

std::vector<Figure> validate(const topologies::CostTable& costs, const std::string& only) {
    std::vector<Group> groups = all_groups();
    check_only(groups, only);
    std::erase_if(groups, [&](const Group& group) {
        return std::none_of(group.figures.begin(), group.figures.end(),
                            [&](const Figure& figure) { return wanted(group, figure, only); });
    });
    const auto measure = [&](std::size_t i) {
        forks::Bytes bytes;
        bytes.put_all(groups[i].measure(costs));
        return bytes.take_bytes();
    };
    auto answers = forks::run_children(groups.size(), measure, [](std::size_t) { return true; });
    std::vector<Figure> figures;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        take_values(groups[i], answers[i]);
        std::copy_if(groups[i].figures.begin(), groups[i].figures.end(), std::back_inserter(figures),
                     [&](const Figure& figure) { return wanted(groups[i], figure, only); });
    }
    return figures;
}

topologies::CostTable standard_costs_with(const std::vector<std::pair<std::string, std::string>>& settings) {
    topologies::CostTable costs = topologies::CostTable::t800();
    for (const auto& setting : settings) topologies::set_cost(costs, setting, {});
    topologies::check_costs(costs, {topologies::t800_costs_name, 0, 0});
    return costs;
}

}  // namespace validation
