// BlockCosts: estimates the costs of a program's basic blocks on a T800 from their x86-64 instructions. The compiler puts a
// counter call at the beginning of each block (gcc -fsanitize-coverage=trace-pc). The cost of each block is computed here, once
// after building. A file beside the module keeps the costs: NAME.so has NAME.blocks. docs/model/program_costs.md describes the
// estimate, and docs/results/program_costs.md has its calibration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace user_programs {

struct BlockCost {
    std::uint64_t offset = 0;  // offset in the module of the counter call's return address
    std::uint16_t cycles = 0;
};

// T800 cycles of one instruction as objdump prints it without its address: "addsd 0x8(%rax),%xmm0", "call 1234 <sin@plt>".
std::uint32_t instruction_cycles(const std::string& instruction);

// Reads the listing that `objdump -d --no-show-raw-insn` prints.
std::vector<BlockCost> block_costs_of(const std::string& listing);

// Runs objdump on the module and writes the file beside it. Throws vocabulary::RequestError when objdump or the file fails.
void write_block_costs(const std::string& module);

// Reads the file beside the module. The result is empty if it is missing or belongs to another build of the module. With
// `needed` the costs are then found in the module itself, and the file is written if it can be. It throws
// vocabulary::RequestError with the remedy when the module has no blocks either.
std::vector<BlockCost> read_block_costs(const std::string& module, bool needed);

}  // namespace user_programs
