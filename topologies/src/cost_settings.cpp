#include <topologies/cost_settings.hpp>

#include <charconv>
#include <map>

#include <fmt/format.h>

#include <vocabulary/nearest_name.hpp>

namespace topologies {
namespace {

using vocabulary::InputError;

constexpr double most_cost = 1e12;  // microseconds of it are 11 days; picoseconds still fit into 63 bits

}  // namespace

void set_cost(topologies::CostTable& costs, const std::pair<std::string, std::string>& setting,
              const std::vector<std::string>& other_names) {
    const auto& [name, text] = setting;
    const vocabulary::SourcePosition where{"--set " + name + "=" + text, 0, 0};
    if (!costs.has(name)) {
        std::vector<std::string> names = costs.names();
        names.insert(names.end(), other_names.begin(), other_names.end());
        const std::string hint = vocabulary::did_you_mean(name, names);
        throw InputError(where, std::string("there is no ") + (other_names.empty() ? "" : "setting or ") + "cost '" + name +
                                    "'" + (hint.empty() ? "; 'magicwire costs' lists the costs" : hint));
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw InputError(where, "expected a number and got '" + text + "'");
    if (value > most_cost)
        throw InputError(where, "a cost is at most 10^12, because modelled time is limited; write a smaller number");
    costs.set(name, value, where.file);
}

void check_costs(const topologies::CostTable& costs, const vocabulary::SourcePosition& where) {
    const auto within = [&](const char* name, const char* unit, double least, double most) {
        const double value = costs.get(name, unit);
        if (value >= least && value <= most) return;
        throw InputError(where, fmt::format("cost '{}' is {}, but must be {} to {} {}", name, value, least, most, unit));
    };
    // Far beyond any machine, and small enough for the arithmetic of a run to stay exact.
    static const std::map<std::string, double> most_of_unit = {{"cycles", 1e9}, {"us", 1e9},     {"ns", 1e12}, {"ms", 1e6},
                                                               {"bits", 1e4},   {"bytes", 1e8},  {"ppm", 1e5}, {"percent", 1e4},
                                                               {"MB/s", 1e6},   {"records", 1e6}};
    within("processor.timeslice", "us", 1, 1e9);
    within("processor.high_timer_tick", "us", 1, 1e6);
    within("processor.low_timer_tick", "us", 1, 1e6);
    within("link.data_packet", "bits", 1, 1e4);
    within("link.stolen_cycles", "cycles", 0, 1000);
    within("memory.external_access", "cycles", 1, 6);
    const double access = costs.get("memory.external_access", "cycles");
    if (access == 2 || access != static_cast<double>(static_cast<int>(access)))
        throw InputError(
            where, fmt::format("cost 'memory.external_access' is {}, but must be 1 (as on chip), 3, 4, 5 or 6 cycles", access));
    for (const char* slow_down : {"memory.slow_down_3", "memory.slow_down_4", "memory.slow_down_5", "memory.slow_down_6"})
        within(slow_down, "percent", 100, 1e4);
    within("kernel.copy", "MB/s", 1e-3, 1e6);
    within("monitor.buffer", "records", 1, 65536);
    within("kernel.most_packet", "bytes", 64, most_message_bytes);
    within("kernel.process_table", "records", 40, 64);  // more than system, farm and monitor take; places in the simulator
    within("circuit.piece", "bytes", 1, most_message_bytes);
    for (const char* table : {"cast.table", "circuit.table"}) within(table, "records", 1, 1e4);
    within("traced.space", "bytes", 4096, 1 << 20);
    within("host.process_table", "records", 40, 288);
    within("mpi.short", "bytes", 0, 4096);  // the body of a packet
    for (const char* row : {"mpi.call", "mpi.match", "mpi.byte", "mpi.reduce_byte", "mpi.stamp", "mpi.race"})
        within(row, "cycles", 0, 1e6);
    within("checkpoint.event", "cycles", 0, 32767);
    within("flowback.block", "bytes", 64, 4096);
    const double packet = costs.get("kernel.most_packet", "bytes"), record = costs.get("monitor.record", "bytes");
    if (record > packet) {
        throw InputError(where,
                         fmt::format("cost 'monitor.record' is {} bytes, but must be at most {}, kernel.most_packet: a trace "
                                     "record leaves its node in one packet",
                                     record, packet));
    }
    within("trek.heartbeat", "us", 100, 1e9);
    const double heartbeat = costs.get("trek.heartbeat", "us"), silence = costs.get("trek.silence", "us");
    if (silence < 2 * heartbeat) {
        throw InputError(where, fmt::format("cost 'trek.silence' is {} us, but must be at least {}, twice trek.heartbeat: "
                                            "otherwise a node is given up between two heartbeats",
                                            silence, 2 * heartbeat));
    }
    for (const topologies::Cost& cost : costs.rows())
        within(cost.name.c_str(), cost.unit.c_str(), 0, most_of_unit.at(cost.unit));
}

}  // namespace topologies
