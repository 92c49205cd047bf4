#include <tmon_session/validation.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <tmon_session/forks.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "child_pipe.hpp"
#include "cost_settings.hpp"
#include "validate/group.hpp"

namespace tmon_session {
namespace {

using vocabulary::InputError;

std::vector<Group> all_groups() {
    std::vector<Group> groups;
    add_link_groups(groups);
    add_message_groups(groups);
    add_processor_groups(groups);
    add_commstime_groups(groups);
    add_memory_groups(groups);
    add_kernel_groups(groups);
    return groups;
}

// Nothing when the measurement failed; why is on standard error then.
std::vector<double> measure_apart(const Group& group, const topologies::CostTable& costs) {
    ChildPipe pipe;
    std::fflush(nullptr);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) throw std::runtime_error("the host cannot start a process for a measurement");
    if (child == 0) {
        begin_as_fork(parent);
        pipe.child_side();
        try {
            const std::vector<double> values = group.measure(costs);
            pipe.put(values.size());
            pipe.write_all(values.data(), values.size() * sizeof(double));
        } catch (const std::exception& error) {
            std::fprintf(stderr, "magicwire: measuring '%s': %s\n", group.name.c_str(), error.what());
            _exit(1);
        }
        _exit(0);
    }
    pipe.parent_side();
    std::size_t count = 0;
    std::vector<double> values;
    if (pipe.get(count)) {
        values.resize(count);
        if (!pipe.read_all(values.data(), count * sizeof(double))) values.clear();
    }
    pipe.close_read();
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return values;
}

bool wanted(const Group& group, const Figure& figure, const std::string& only) {
    return only.empty() || only == group.name || only == figure.name;
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

std::string group_name(const std::string& name, hw_model::LinkLevel level) {
    return (level == hw_model::LinkLevel::Byte ? "byte_" : "") + name;
}

const char* remark(hw_model::LinkLevel level) {
    return level == hw_model::LinkLevel::Byte ? ", bytes" : "";
}

double Figure::error_percent() const {
    if (model < least) return 100 * (model - least) / least;
    if (model > most) return 100 * (model - most) / most;
    return std::isnan(model) ? model : 0;
}

bool Figure::good() const {
    return std::abs(error_percent()) <= tolerance_percent;  // false for what is not a number
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
    std::vector<Figure> figures;
    for (Group& group : groups) {
        const auto is_wanted = [&](const Figure& figure) { return wanted(group, figure, only); };
        if (std::none_of(group.figures.begin(), group.figures.end(), is_wanted)) continue;
        const std::vector<double> values = measure_apart(group, costs);
        if (values.size() == group.figures.size()) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (std::isfinite(values[i])) group.figures[i].model = values[i];  // a rate of what never arrived is none
            }
        }
        std::copy_if(group.figures.begin(), group.figures.end(), std::back_inserter(figures), is_wanted);
    }
    return figures;
}

topologies::CostTable standard_costs_with(const std::vector<std::pair<std::string, std::string>>& settings) {
    topologies::CostTable costs = topologies::CostTable::t800();
    for (const auto& setting : settings) set_cost(costs, setting, {});
    check_costs(costs, {topologies::t800_costs_name, 0, 0});
    return costs;
}

}  // namespace tmon_session
