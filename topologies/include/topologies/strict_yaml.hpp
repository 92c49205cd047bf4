// Strict reading of YAML: every key is asked for, every key that nobody asked for is an error with position and nearest name,
// every value is checked for type, unit and range. Used for machines, cost tables and scenarios.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <vocabulary/sim_time.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

// One node of a YAML document with its place in the file. Cheap to copy. All readers throw vocabulary::InputError.
class YamlValue {
public:
    static YamlValue parse(const std::string& text, const std::string& file_name);
    static YamlValue read_file(const std::string& path);

    vocabulary::SourcePosition where() const;
    [[noreturn]] void fail(const std::string& message) const;

    bool is_map() const;
    bool is_list() const;
    bool is_scalar() const;
    // Checks that this is a map whose keys are all in `known`; a foreign key fails with the nearest known one.
    void only_keys(const std::vector<std::string>& known) const;
    YamlValue at(const std::string& key) const;                       // fails when missing
    std::optional<YamlValue> find(const std::string& key) const;
    std::vector<std::pair<std::string, YamlValue>> entries() const;   // map, in file order
    std::vector<YamlValue> items() const;                             // list

    std::string text() const;
    bool boolean() const;
    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    double number() const;
    // With unit: "1.5ms", "20 us", "3s"; a bare number or a negative time fails.
    vocabulary::SimTime time() const;
    std::uint64_t byte_size() const;      // "4MiB", "512KiB", "100" (bytes)
    std::int64_t frequency_hz() const;    // "20MHz", "10 Mbit/s" too
    // One of the given words; fails with the nearest.
    std::string one_of(const std::vector<std::string>& words) const;

private:
    struct Document;
    YamlValue() = default;
    std::shared_ptr<const Document> document_;
    std::shared_ptr<const void> node_;
};

// "1.5ms" -> SimTime; used for --set and unload sequences too.
vocabulary::SimTime parse_time(const std::string& text, const vocabulary::SourcePosition& where);

}  // namespace topologies
