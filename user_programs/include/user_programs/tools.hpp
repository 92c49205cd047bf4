// Runs the host's programs for the builder; reads and writes whole files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace user_programs {

struct ToolResult {
    int status = 0;      // exit status of the program; 127: it could not be run
    std::string output;  // standard output and standard error
};
ToolResult run_tool(const std::vector<std::string>& command);

std::string content_of(const std::string& path);                          // empty when it cannot be read
void write_content(const std::string& path, const std::string& content);  // throws InputError; complete or not at all

// Hash of a sequence of texts; 16 hexadecimal digits.
class ContentHash {
public:
    void add(const std::string& text);
    std::string digits() const;

private:
    std::string all_;
};

}  // namespace user_programs
