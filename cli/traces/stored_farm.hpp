// A stored trace with the specification of its farm, for the commands that tell of one task.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <tmon_streams/trace_store.hpp>
#include <vocabulary/errors.hpp>

#include <farm_spec/farm_spec.hpp>

#include "frame/command.hpp"

namespace cli {

struct StoredFarm {
    std::string file;
    tmon_streams::Trace trace;
    farm_spec::FarmSpec spec;
    std::string manifest;         // of the trace: JSON
    std::string warning, status;  // warning: a sentence when the trace is not whole
    bool complete = true, damaged = false;

    nlohmann::ordered_json trace_json() const;
};

// `place`: the folder of a run, or a trace file. The specification lies beside the trace, as data.spf beside data.mwt. Throws
// vocabulary::InputError when either cannot be read, or they do not fit each other.
StoredFarm load_farm(const std::string& place);

// Numbers on the command line. They throw CLI::ValidationError, which is wrong usage.
std::uint32_t task_number(const std::string& text);
std::uint32_t part_number(const std::string& text);  // hexadecimal, as in the list of faults

// Runs `work`. A vocabulary::RequestError from it means a wrong value of an option: wrong usage, exit code 2.
template <class Work>
auto as_request(const Work& work) {
    try {
        return work();
    } catch (const vocabulary::RequestError& error) {
        throw CLI::ValidationError(error.what());
    }
}

}  // namespace cli
