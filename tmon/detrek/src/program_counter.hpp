// The counter-histories of a verdict on a program that is no farm. Private: program_verdict.cpp uses it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tmon_detrek/verdict.hpp>
#include <tmon_models/stops.hpp>
#include "program_text.hpp"

namespace tmon_detrek {

class ProgramCounters {
public:
    // All must outlive it.
    ProgramCounters(const tmon_streams::Trace& trace, const tmon_models::Program& program,
                    const tmon_models::ProgramReading& reading, const ProgramText& words)
        : trace_(trace), program_(program), reading_(reading), words_(words) {}

    // order: indexes of the examples, the likeliest first. Beside a likely verdict, one that prints another answer; beside an
    // unknown one two that differ. None where there is no such pair.
    std::vector<CounterHistory> of(const Verdict& verdict, const std::vector<std::size_t>& order) const;

private:
    // A history with all that it assumes; its text is not written yet.
    std::optional<CounterHistory> made(const tmon_models::ProgramExample& example) const;
    void write(CounterHistory& history, const std::vector<Event>& of_other) const;

    const tmon_streams::Trace& trace_;
    const tmon_models::Program& program_;
    const tmon_models::ProgramReading& reading_;
    const ProgramText& words_;
};

}  // namespace tmon_detrek
