// Strict YAML reader. The caller names every key; any other key is an error with position and nearest name. Every value is
// checked for type, unit and range. A duplicate key, an anchor, an alias, a tag or a second document is refused too. Used for
// machines, cost tables and scenarios. Cost: linear in the length of the text, and quadratic in the number of keys of one map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <vocabulary/sim_time.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

struct YamlDocument;  // src/yaml_tree.hpp
struct YamlNode;

// One node of a YAML document with its place in the file. Cheap to copy. All readers throw vocabulary::InputError.
// The whole file. Throws vocabulary::InputError when it cannot be read.
std::string read_text(const std::string& path);

class YamlValue {
public:
    // `label`: the name of the whole in messages.
    static YamlValue parse(const std::string& text, const std::string& file_name, const std::string& label = "the file");
    static YamlValue read_file(const std::string& path);

    vocabulary::SourcePosition where() const;
    // Position of the character at `offset` of text(); exact for text on one line.
    vocabulary::SourcePosition where(std::size_t offset) const;
    vocabulary::SourcePosition where_key(const std::string& key) const;  // position of a key of a map
    [[noreturn]] void fail(const std::string& message) const;

    bool is_map() const;
    bool is_list() const;
    bool is_scalar() const;
    bool is_null() const;  // nothing, ~ or null
    // Checks that this is a map whose keys are all in `known`; an unknown key fails with the nearest known one.
    void only_keys(const std::vector<std::string>& known) const;
    YamlValue at(const std::string& key) const;  // fails when missing
    std::optional<YamlValue> find(const std::string& key) const;
    std::vector<std::pair<std::string, YamlValue>> entries() const;  // map, in file order
    std::vector<YamlValue> items() const;                            // list

    std::string text() const;
    bool boolean() const;
    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    double number() const;  // finite
    // With unit: "1.5ms", "20 us", "3s"; a bare number, a negative time or a part of a picosecond fails.
    vocabulary::SimTime time() const;
    std::uint64_t byte_size() const;    // "4MiB", "512KiB", "100" (bytes); "4MB" fails, since it may mean 10^6 or 2^20
    std::int64_t frequency_hz() const;  // "20MHz", "10 Mbit/s" too
    // One of the given words; fails with the nearest.
    std::string one_of(const std::vector<std::string>& words) const;

private:
    YamlValue(std::shared_ptr<const YamlDocument> document, const YamlNode& node, std::string label);
    [[noreturn]] void fail_kind(const std::string& expected, const std::string& remedy) const;
    const YamlNode& map() const;

    std::shared_ptr<const YamlDocument> document_;  // keeps *node_ alive
    const YamlNode* node_;
    std::string label_;  // the name of this value in messages: "'count'", "an entry of 'links'", "the file"
};

// "1.5ms" -> SimTime; used for --set and unload sequences too.
vocabulary::SimTime parse_time(const std::string& text, const vocabulary::SourcePosition& where);
std::string time_text(vocabulary::SimTime time);  // the shortest text that parse_time() turns back; not negative

}  // namespace topologies
