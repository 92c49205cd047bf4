#include "shell.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace user_programs {
namespace {

struct SavedEnvironment {
    std::vector<std::string> texts;
    std::vector<char*> pointers;
};

SavedEnvironment& saved_environment() {
    static SavedEnvironment first = [] {
        SavedEnvironment copy;
        for (char** text = environ; text != nullptr && *text != nullptr; ++text) copy.texts.emplace_back(*text);
        for (std::string& text : copy.texts) copy.pointers.push_back(text.data());
        copy.pointers.push_back(nullptr);
        return copy;
    }();
    return first;
}

}  // namespace

void keep_environment() {
    saved_environment();
}

std::string quoted(const std::string& path) {
    std::string text = "'";
    for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string output_of(const std::string& command) {
    char** const now = std::exchange(environ, saved_environment().pointers.data());
    std::FILE* pipe = popen(command.c_str(), "r");
    environ = now;
    if (pipe == nullptr) return {};
    std::string text;
    std::array<char, 4096> part{};
    for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), got);
    pclose(pipe);
    return text;
}

}  // namespace user_programs
