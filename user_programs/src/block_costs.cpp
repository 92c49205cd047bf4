#include <user_programs/block_costs.hpp>

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include <vocabulary/errors.hpp>

#include "shell.hpp"

#include <user_programs/tools.hpp>

namespace user_programs {
namespace {

constexpr const char* counter = "<__sanitizer_cov_trace_pc>";

// "   14ece:\tcall   15c50 <name>" -> its address and "call   15c50 <name>". False for other lines.
bool take_apart(const std::string& line, std::uint64_t& address, std::string& instruction) {
    const std::size_t first = line.find_first_not_of(' '), colon = line.find(":\t");
    if (first == std::string::npos || colon == std::string::npos || first >= colon) return false;
    const auto [end, error] = std::from_chars(line.data() + first, line.data() + colon, address, 16);
    if (error != std::errc() || end != line.data() + colon) return false;
    instruction = line.substr(colon + 2);
    return true;
}

bool ends_block(const std::string& instruction) {
    return instruction.starts_with("jmp") || instruction.starts_with("ret") || instruction.starts_with("ud2") ||
           instruction.starts_with("notrack jmp");
}

// A hash of the module (FNV-1a, 64 bits), which shows whether a file belongs to another build.
std::string fingerprint(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
        hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
    std::ostringstream text;
    text << std::hex << hash;
    return text.str();
}

std::string blocks_file(const std::string& module) {
    return std::filesystem::path(module).replace_extension(".blocks").string();
}
std::string header_of(const std::string& module) {
    return "magicwire.blocks/1 " + fingerprint(module);
}

}  // namespace

std::vector<BlockCost> block_costs_of(const std::string& listing) {
    std::vector<BlockCost> blocks;
    std::istringstream lines(listing);
    std::uint64_t address = 0;
    std::uint32_t entry = 0;  // cost of a function before its first block's counter
    bool counted = false, after_counter = false, fresh = false;
    const auto add = [&](std::uint32_t cycles) {
        auto& sum = blocks.back().cycles;
        sum = static_cast<std::uint16_t>(std::min<std::uint32_t>(sum + cycles, std::numeric_limits<std::uint16_t>::max()));
    };
    for (std::string line, instruction; std::getline(lines, line);) {
        if (!line.empty() && line.back() == ':' && line.find(" <") != std::string::npos) {  // a function begins
            fresh = true;
            counted = after_counter = false;
            entry = 0;
            continue;
        }
        if (!take_apart(line, address, instruction)) continue;
        if (after_counter) blocks.push_back({address, 0});
        if (after_counter && fresh) add(entry);
        if (after_counter) fresh = false;
        after_counter = instruction.starts_with("call") && instruction.find(counter) != std::string::npos;
        if (after_counter) {
            counted = true;
            continue;
        }
        const std::uint32_t cycles = instruction_cycles(instruction);
        if (fresh) entry += cycles;
        if (counted && !fresh) add(cycles);
        if (ends_block(instruction)) counted = false;
    }
    return blocks;
}

namespace {

std::string listing_of(const std::string& module) {
    return output_of("objdump -d --no-show-raw-insn " + quoted(module) + " 2>/dev/null");
}

}  // namespace

void write_block_costs(const std::string& module) {
    const std::string listing = listing_of(module);
    if (listing.empty())
        throw vocabulary::HostError("objdump cannot read " + module + "; is the Debian package binutils installed?");
    std::ostringstream file;
    file << header_of(module) << '\n';
    for (const BlockCost& block : block_costs_of(listing))
        file << std::hex << block.offset << ' ' << std::dec << block.cycles << '\n';
    write_content(blocks_file(module), file.str());  // complete or not at all: a part of it would be a wrong estimate
}

namespace {

// For a module that was copied without its file, or linked by another tool.
std::vector<BlockCost> made_block_costs(const std::string& module) {
    std::vector<BlockCost> blocks = block_costs_of(listing_of(module));
    if (blocks.empty())
        throw vocabulary::RequestError(
            "program " + module + " has no table of its blocks' costs (" + blocks_file(module) +
            " is missing or of another build), so nothing can be estimated; build the program again, and do not strip it");
    try {
        write_block_costs(module);  // for the next time
    } catch (const std::exception&) {
        return blocks;  // its folder cannot be written
    }
    return blocks;
}

}  // namespace

std::vector<BlockCost> read_block_costs(const std::string& module, bool needed) {
    std::ifstream file(blocks_file(module), std::ios::binary);
    std::string header;
    if (!std::getline(file, header) || header != header_of(module)) {
        return needed ? made_block_costs(module) : std::vector<BlockCost>();
    }
    std::vector<BlockCost> blocks;
    BlockCost block;
    while (file >> std::hex >> block.offset >> std::dec >> block.cycles) blocks.push_back(block);
    return blocks;
}

}  // namespace user_programs
