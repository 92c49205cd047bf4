// Phase 3 of a recorded run: it is run again, held to its record, and keeps images and logged messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tmon_recovery/intervals.hpp>
#include <tmon_recovery/logging.hpp>

#include "recovery/recorded_run.hpp"
#include "recovery/scenario_run.hpp"

namespace cli {

// The choice of phase 3 and of replays.
tmon_recovery::LoggingChoice kept_choice();

struct Kept {
    std::size_t images = 0, missing = 0, messages = 0;
    std::uint64_t image_bytes = 0, message_bytes = 0;
    std::int64_t took_ns = 0;
    std::string why{};                           // the first image is missing: its reason
    std::string divergence{};                    // both sides, or why the run is not whole; nothing is kept then
    bool interrupted = false, too_long = false;  // it came to the limit of modelled time
};
// In a child of this process, as the host runs one simulation in each. `run` has loaded its program. Throws
// vocabulary::InputError or HostError: a file cannot be written. `all`: log all packets, for replays of some processes alone.
Kept keep_images(const RecordedRun& record, const tmon_recovery::Intervals& intervals, ScenarioRun& run,
                 const std::string& folder, bool all);
std::string text_of(const Kept& kept);

struct RecordAgainOptions {
    std::string folder, seed, limit;
    std::vector<std::string> set;
    bool json = false, all_packets = false;
};
int record_again(const RecordAgainOptions& options);

}  // namespace cli
