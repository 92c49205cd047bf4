#include "source_lines.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

#include "shell.hpp"

namespace user_programs {
namespace {

// The support code is compiled without lines (support_options.txt); only headers and libraries remain.
bool of_the_user(const std::string& file) {
    return !file.starts_with("??") && !file.starts_with("/usr/include/") && !file.starts_with("/usr/lib/") &&
           file.find("/include/c++/") == std::string::npos && file.find("/libstdc++-v3/") == std::string::npos &&
           file.find("/libgcc/") == std::string::npos;
}

// "/home/x/pi.c:42 (discriminator 3)"
SourceLine line_of(const std::string& text, const std::string& function) {
    const std::size_t colon = text.rfind(':', text.find(" (") == std::string::npos ? std::string::npos : text.find(" ("));
    if (colon == std::string::npos) return {};
    const unsigned long line = std::strtoul(text.c_str() + colon + 1, nullptr, 10);
    if (line == 0) return {};
    return {std::filesystem::path(text.substr(0, colon)).filename().string(), function, static_cast<unsigned>(line)};
}

}  // namespace

std::vector<SourceLine> user_lines(const std::string& module, const std::vector<std::uintptr_t>& offsets) {
    std::vector<SourceLine> lines(offsets.size());
    if (offsets.empty()) return lines;
    std::string command = "addr2line -a -f -i -C -e " + quoted(module);
    std::array<char, 32> number{};
    for (const std::uintptr_t offset : offsets) {
        std::snprintf(number.data(), number.size(), " 0x%zx", static_cast<std::size_t>(offset));
        command += number.data();
    }
    std::istringstream output(output_of(command + " 2>/dev/null"));
    // For each address: the address, then a pair of lines (function, place) for each frame that is inlined there.
    std::size_t index = 0;
    bool any = false;
    for (std::string function, place; std::getline(output, function);) {
        if (function.starts_with("0x")) {
            index += any ? 1 : 0;
            any = true;
            continue;
        }
        if (!std::getline(output, place)) break;
        if (index < lines.size() && lines[index].line == 0 && of_the_user(place)) lines[index] = line_of(place, function);
    }
    return lines;
}

}  // namespace user_programs
