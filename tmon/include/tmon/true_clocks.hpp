// What the nodes' clocks really were, from the oracle.json of a run. Of a program that knows the truth, such as `magicwire
// clocks` or an export with --oracle; no analysis does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tmon {

// The clock showed `began_clock_us` when the node's monitoring began, and at true time t t * (1 + drift_ppm * 1e-6) +
// offset_us.
struct TrueClock {
    bool known = false;  // the node was monitored
    double offset_us = 0, drift_ppm = 0;
    std::uint64_t began_clock_us = 0;

    // Of a record with this time: when the clock came to show it. The record was made within the tick that began then.
    double true_us(std::uint64_t time_us) const {
        return (static_cast<double>(began_clock_us) + static_cast<double>(time_us) - offset_us) / (1 + drift_ppm * 1e-6);
    }
    // What it showed at that true time, since monitoring began, without ticks.
    double shown_us(double true_us) const {
        return true_us * (1 + drift_ppm * 1e-6) + offset_us - static_cast<double>(began_clock_us);
    }
};

// Of nodes 0 ... nodes - 1, by node; what the file says of others is left out. Of a known one no time is above 10^15 us, on
// either side of 0, and no drift above 10^5 ppm. Throws vocabulary::InputError, which names the entry and the key, when the
// file cannot be read, is no oracle.json, or says of a clock what cannot be.
std::vector<TrueClock> read_true_clocks(const std::string& oracle, std::uint16_t nodes);

}  // namespace tmon
