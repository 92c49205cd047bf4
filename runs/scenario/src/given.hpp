// A value as given by a person, in a scenario file or by --set, with its row of the table. All readers check the value against
// that row. They throw vocabulary::InputError with the range, at the position in the file or at the option.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <scenario/settings.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

namespace scenario {

class Given {
public:
    // `folder`: of the scenario file; paths are relative to it.
    Given(const SettingRow& row, topologies::YamlValue value, std::filesystem::path folder)
        : row_(row), value_(std::move(value)), folder_(std::move(folder)) {}
    Given(const SettingRow& row, Setting setting) : row_(row), setting_(std::move(setting)) {}
    // A part of the value, such as an entry of its list.
    Given part(const topologies::YamlValue& value) const;

    bool in_file() const { return !setting_.has_value(); }
    vocabulary::SourcePosition where() const;
    [[noreturn]] void fail(const std::string& message) const;
    // Different messages for a value in a file and on the command line.
    [[noreturn]] void fail(const std::string& file_text, const std::string& line_text) const;

    std::string text() const;
    std::int64_t whole() const;                                    // in the range of the row
    std::int64_t whole(std::int64_t most) const;                   // in the range of the row, and at most this
    std::size_t word() const;                                      // index into the words of the row
    vocabulary::SimTime time() const;                              // in the range of the row
    bool names_a_file() const;                                     // there is a file of that name
    std::string file() const;                                      // path of a file that exists
    std::string folder() const;                                    // path of a folder that exists
    std::string file(Scenario& scenario, const char* role) const;  // the same, listed as an input of the scenario
    topologies::YamlValue value() const;                           // any kind; the text of --set is read as YAML

private:
    const SettingRow& row_;
    std::optional<topologies::YamlValue> value_;  // in a file, or a part of a value
    std::optional<Setting> setting_;              // on the command line
    std::filesystem::path folder_;
};

// All values for a scenario: its file, if it has one, and the settings of the command line.
class Sources {
public:
    Sources(std::optional<topologies::YamlValue> root, std::filesystem::path folder, const std::vector<Setting>& settings)
        : root_(std::move(root)), folder_(std::move(folder)), settings_(settings) {}

    // The same, but farm, application and monitor are those of a phase.
    Sources of_phase(const topologies::YamlValue& phase) const {
        Sources sources = *this;
        sources.phase_ = phase;
        return sources;
    }
    // The last setting of this name; without one, the value in the file.
    std::optional<Given> find(const std::string& name) const;
    Given at(const std::string& name) const;                                      // fails without a value
    std::optional<topologies::YamlValue> section(const std::string& name) const;  // "farm"; "": the file itself
    // Puts each value of the section into the scenario, in the order of the table. Rows with readers of their own are left
    // out.
    void put_section(Scenario& scenario, const std::string& section) const;

private:
    const std::optional<topologies::YamlValue>& root_of(const std::string& name) const;

    std::optional<topologies::YamlValue> root_, phase_;
    std::filesystem::path folder_;
    const std::vector<Setting>& settings_;
};

// The keys of a section in the file, without the keys of its subsections.
std::vector<std::string> keys_of(const std::string& section);

// "n5". Whether there is such a node is another question. Throws vocabulary::InputError.
vocabulary::NodeId node_named(const topologies::YamlValue& value);

}  // namespace scenario
