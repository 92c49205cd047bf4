#include <user_programs/tools.hpp>

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <vocabulary/source_position.hpp>

#include "shell.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace user_programs {

ToolResult run_tool(const std::vector<std::string>& command) {
    std::string line;
    for (const std::string& word : command) line += quoted(word) + " ";
    // Messages of the tools in the C locale, whatever the user's language: they are passed through and compared in tests.
    FILE* pipe = popen(("LC_ALL=C " + line + "2>&1").c_str(), "r");
    if (pipe == nullptr) return {127, "no more processes can be started"};
    ToolResult result;
    char part[4096];
    for (std::size_t count = 0; (count = std::fread(part, 1, sizeof part, pipe)) > 0;) result.output.append(part, count);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return result;
}

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : std::string();
}

void write_content(const std::string& path, const std::string& content) {
    const std::string unfinished = path + ".new";
    {
        std::ofstream file(unfinished, std::ios::binary);
        file << content;
        file.flush();
        if (!file) throw vocabulary::InputError({path, 0, 0}, "cannot be written; choose a folder that can, with --build");
    }
    std::filesystem::rename(unfinished, path);
}

void ContentHash::add(const std::string& text) {
    all_ += std::to_string(text.size()) + ":" + text;
}

std::string ContentHash::digits() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(XXH3_64bits(all_.data(), all_.size())));
    return digits;
}

}  // namespace user_programs
