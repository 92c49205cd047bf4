// The sentence of a verdict on a program that is no farm. Private: program_verdict.cpp decides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tmon_detrek/verdict.hpp>
#include <tmon_models/fault_model.hpp>
#include <tmon_models/stops.hpp>

namespace tmon_detrek {

// "nodes 1, 2 and 3"; of many, the first twelve and the number of the others.
std::string some_nodes(const std::vector<std::uint16_t>& nodes);

class ProgramText {
public:
    ProgramText(const tmon_models::FaultModel& model, std::uint32_t units) : model_(model), units_(units) {}
    // Sets verdict.sentence from everything else in it.
    void say(Verdict& verdict) const;

    // "exchange 7 stopped in step_fn() on node 2", or "every exchange was completed"
    std::string answer(const tmon_models::ProgramAnswer& answer) const;

private:
    std::string where(const Verdict& verdict) const;
    std::string seen(const Verdict& verdict) const;
    std::string also(const Verdict& verdict) const;

    const tmon_models::FaultModel& model_;
    std::uint32_t units_;
};

}  // namespace tmon_detrek
