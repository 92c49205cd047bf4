// The grammar of a specification file: sections of entries KEY = VALUE, VALUE, ...; between begin and end. The meaning of the
// keys is in specification.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <farm_programs/specification.hpp>

namespace farm_programs {

struct SpecValue {
    Word word;
    bool quoted = false;
};

struct SpecEntry {
    Word key;
    std::vector<SpecValue> values;  // at least one
};

struct SpecSection {
    Word name;
    std::vector<SpecEntry> entries;
};

struct SpecKey {
    std::string_view section, name;
    bool list = false;  // may have several values
};

// Throws vocabulary::InputError for a file that is no specification, and for an unknown section or key, with the nearest known
// one. It also throws for a key of another section and for a duplicate entry.
std::vector<SpecSection> parse_sections(const std::string& text, const std::string& path,
                                        const std::vector<std::string>& sections, const std::vector<SpecKey>& keys);

}  // namespace farm_programs
