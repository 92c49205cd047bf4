// Source text as statements: included files, macros and repetitions expanded.
#pragma once

#include <string>
#include <vector>

#include <expression.hpp>
#include <t800_assembly/assembler.hpp>

namespace t800_assembly {

struct Statement {
    std::vector<Text> labels;
    Text mnemonic;               // empty: labels only
    std::vector<Text> operands;  // separated by commas
    std::string line;            // as it is listed
};

// Throws vocabulary::InputError.
std::vector<Statement> read_statements(const std::string& source, const std::string& file, const ReadSource& read);

}  // namespace t800_assembly
