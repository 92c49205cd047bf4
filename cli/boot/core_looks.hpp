// A T800 core as text, for the shell of `magicwire boot`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <t800_assembly/assembler.hpp>
#include <t800_core/core.hpp>

namespace cli {

// Labels of a source, where its code lies unchanged in a node's memory.
class CoreLabels {
public:
    // `program` outlives it.
    explicit CoreLabels(const std::optional<t800_assembly::Program>& program) : program_(program) {}
    // "loop+3"; empty: none is known there.
    std::string at(const t800_core::Core& core, std::uint32_t address) const;
    // LABEL, LABEL+BYTES, #80000070 or 0x80000070. Throws vocabulary::RequestError.
    std::uint32_t address_of(const std::string& word) const;

private:
    const std::optional<t800_assembly::Program>& program_;
};

// "#80000078 loop+3: ldl 2".
std::string instruction_at(const t800_core::Core& core, const CoreLabels& labels, std::uint32_t address);
std::string core_code(const t800_core::Core& core, const CoreLabels& labels, std::uint32_t address, std::size_t count);
std::string core_registers(const t800_core::Core& core);
std::string core_memory(const t800_core::Core& core, std::uint32_t address, std::size_t words);
// The process that runs, and those that are ready, in the order of the queues.
std::string core_processes(const t800_core::Core& core, const CoreLabels& labels);

}  // namespace cli
