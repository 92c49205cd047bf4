// A field of a CSV line (RFC 4180): in quotes where it has a comma, a quote or an end of line.
#pragma once

#include <string>

namespace text {

inline std::string csv_field(const std::string& word) {
    if (word.find_first_of(",\"\r\n") == std::string::npos) return word;
    std::string field = "\"";
    for (const char c : word) field += c == '"' ? std::string("\"\"") : std::string(1, c);
    return field + "\"";
}

}  // namespace text
