// True behaviour of the nodes' clocks, from the oracle.json of a run. Used only by `magicwire clocks` and `export --oracle`;
// no analysis reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tmon_streams/trace_merge.hpp>

namespace tmon_oracle {

// The clock showed `began_clock_us` when the node's monitoring began. At true time t it shows t * (1 + drift_ppm * 1e-6) +
// offset_us.
struct TrueClock {
    bool known = false;  // the node was monitored
    double offset_us = 0, drift_ppm = 0;
    std::uint64_t began_clock_us = 0;

    // True time at which the clock first showed this record time. The record was made within the tick that began then.
    double true_us(std::uint64_t time_us) const {
        return (static_cast<double>(began_clock_us) + static_cast<double>(time_us) - offset_us) / (1 + drift_ppm * 1e-6);
    }
    // Reading of the clock at that true time, since monitoring began, without ticks.
    double shown_us(double true_us) const {
        return true_us * (1 + drift_ppm * 1e-6) + offset_us - static_cast<double>(began_clock_us);
    }
};

// Clocks of nodes 0 ... nodes - 1, by node; entries for other nodes are ignored. Times lie within 10^15 us and drifts within
// 10^5 ppm of 0. Throws vocabulary::InputError when the file cannot be read, is no oracle.json, or holds an impossible value.
// The error names the entry and the key.
std::vector<TrueClock> read_true_clocks(const std::string& oracle, std::uint16_t nodes);
// True time of each record, in nanoseconds since power-up. Throws as read_true_clocks(), and for a file without a known clock.
tmon_streams::MainClock read_true_time(const std::string& oracle, std::uint16_t nodes);

}  // namespace tmon_oracle
