// BlockCosts: what the basic blocks of a built program would cost on a T800, estimated from their x86-64 instructions. The
// compiler puts a call of a counter at the beginning of each block (gcc -fsanitize-coverage=trace-pc). The cost of each block
// is found here, once after building. A file beside the module keeps the costs: NAME.so has NAME.blocks.
// docs/model/program_costs.md describes the estimate, and docs/results/program_costs.md has its calibration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace farm_programs {

struct BlockCost {
    std::uint64_t offset = 0;  // offset in the module of the address that the counter's call returns to
    std::uint16_t cycles = 0;
};

// T800 cycles of one instruction as objdump prints it without its address: "addsd 0x8(%rax),%xmm0", "call 1234 <sin@plt>".
std::uint32_t instruction_cycles(const std::string& instruction);

// Reads the listing that `objdump -d --no-show-raw-insn` prints.
std::vector<BlockCost> block_costs_of(const std::string& listing);

// Runs objdump on the module and writes the file beside it. Throws std::runtime_error when objdump or the file fails.
void write_block_costs(const std::string& module);

// Reads the file beside the module. If it is missing, or belongs to another build of the module, the result is empty. When
// `needed`, it throws std::runtime_error that says what to do instead.
std::vector<BlockCost> read_block_costs(const std::string& module, bool needed);

}  // namespace farm_programs
