// The clocks of oracle.json, and the manifest of a trace: the JSON that comes from outside.
#include <cmath>

#include <tmon_oracle/true_clocks.hpp>
#include <tmon_streams/trace_store.hpp>

#include "fuzz_target.hpp"

FUZZ_TARGET(oracle_json, input) {
    if (fuzz::choose(input, 2) == 1) {
        const std::string closing(fuzz::part(input));
        const std::string whole = tmon_streams::whole_manifest(std::string(input), closing);
        const auto manifest = tmon_streams::read_manifest("data.mwt", whole);
        fuzz::require(manifest.expected_nodes > 0, "a manifest expects no node");
        return;
    }
    for (const tmon_oracle::TrueClock& clock : tmon_oracle::read_true_clocks(fuzz::put("oracle.json", input), 8))
        fuzz::require(std::isfinite(clock.true_us(1)), "a clock gives no time");
}
