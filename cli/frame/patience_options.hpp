// Options of every command that sorts by cause as records come: the user's patience with streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <tmon_order/trace_sorter.hpp>

namespace cli {

struct PatienceOptions {
    std::string suspect_after, give_up_after;  // empty: never
    std::vector<std::string> crashed;          // "n5", "n5@730ms"

    void add_to(CLI::App& command);
    bool given() const { return !suspect_after.empty() || !give_up_after.empty() || !crashed.empty(); }
    // Throws CLI::ValidationError. `nodes`: 0 where their number is not known.
    tmon_order::Patience read(std::uint32_t nodes) const;
};

}  // namespace cli
