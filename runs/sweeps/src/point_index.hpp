// Which point of a study has given values, and which stored rows hold still.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <scenario/scenario.hpp>
#include <sweeps/study.hpp>

namespace sweeps {

// Finds points by their keys. Memory: 16 bytes a point. Cost: some microseconds a point once, then logarithmic.
class PointIndex {
public:
    explicit PointIndex(const Points& points);
    // The first point with that key that is not taken; several points may have the same values. Index from 0.
    std::optional<std::size_t> find(const std::string& key, const std::vector<bool>& taken) const;

private:
    const Points& points_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> by_hash_;
};

// Names of input files, as seen from the study's folder in the database, and as seen from here. So the working folder does not
// matter.
class InputPaths {
public:
    explicit InputPaths(const std::string& study_file) : folder_(std::filesystem::path(study_file).parent_path()) {}
    const std::string& from_study(const std::string& path);
    std::string from_here(const std::string& path) const;
    // The content is what it was, and so is a shape ("ring:16") or the program's own cost table: the program has been compared.
    bool is_unchanged(const scenario::InputFile& input);

private:
    std::filesystem::path folder_;
    std::map<std::string, std::string> from_study_, hashes_;
};

}  // namespace sweeps
