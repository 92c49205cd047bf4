// The loader in front of code that is longer than a boot message.
#pragma once

#include <cstdint>

#include <t800_assembly/assembler.hpp>

namespace t800_assembly {

const Program& loader();
std::uint32_t loaded_address();  // of the program that it loads

}  // namespace t800_assembly
