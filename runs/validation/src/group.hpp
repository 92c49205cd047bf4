// A group of figures from one measurement: the published rows, and the function that measures all of them on one Machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <hw_model/timing.hpp>
#include <validation/validation.hpp>

namespace validation {

struct Group {
    std::string name;
    std::vector<Figure> figures;  // `model` is still empty
    // In the order of `figures`; runs in a process of its own, once.
    std::function<std::vector<double>(const topologies::CostTable&)> measure;
};

// Names and texts of figures that are measured at both levels of the links.
std::string group_name(const std::string& name, topologies::LinkLevel level);  // "link_20", "byte_link_20"
const char* remark(topologies::LinkLevel level);                               // "", ", bytes"

inline constexpr std::int64_t t800_20_hz = 20'000'000;  // clock of most figures

void add_link_groups(std::vector<Group>& groups);       // rates at three speeds, through C004s, through the host's adaptor
void add_message_groups(std::vector<Group>& groups);    // times of single messages and of a ping-pong
void add_wire_groups(std::vector<Group>& groups);       // delay of data by an acknowledge; time until a connection takes effect
void add_processor_groups(std::vector<Group>& groups);  // interrupts and timeslices
void add_timer_groups(std::vector<Group>& groups);      // ticks of the two clocks
void add_commstime_groups(std::vector<Group>& groups);  // four processes over soft channels
void add_memory_groups(std::vector<Group>& groups);     // slow-down of the processor by links
void add_kernel_groups(std::vector<Group>& groups);     // Trollius: rendez-vous of each operation, and its time
void add_code_groups(std::vector<Group>& groups);       // links and block moves, by T800 code
void add_clock_groups(std::vector<Group>& groups);      // the same of T800-25 and T800-30

// Measurements that several groups use, by the clock of the nodes.
double interrupt_latency_us(const topologies::CostTable& costs, std::int64_t clock_hz);  // typical
double half_of_longest_run_us(const topologies::CostTable& costs, std::int64_t clock_hz);
double low_tick_us(const topologies::CostTable& costs, std::int64_t clock_hz);
double message_us(const topologies::CostTable& costs, std::uint32_t bytes, std::int64_t clock_hz);
std::vector<double> link_rates(const topologies::CostTable& costs, std::int64_t clock_hz);  // 20 Mbit/s: one way, both ways
// A block move in MB/s, and a node's speed of computation relative to a T800-20.
std::vector<double> kernel_speeds(const topologies::CostTable& costs, std::int64_t clock_hz);

}  // namespace validation
