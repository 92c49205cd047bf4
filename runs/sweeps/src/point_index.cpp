#include "point_index.hpp"

#include <algorithm>

#include <xxhash.h>

#include <topologies/cost_table.hpp>

namespace sweeps {
namespace {

std::uint64_t hash_of(const std::string& key) {
    return XXH3_64bits(key.data(), key.size());
}

}  // namespace

PointIndex::PointIndex(const Points& points) : points_(points) {
    by_hash_.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        by_hash_.emplace_back(hash_of(points[i].key), static_cast<std::uint32_t>(i));
    std::sort(by_hash_.begin(), by_hash_.end());
}

std::optional<std::size_t> PointIndex::find(const std::string& key, const std::vector<bool>& taken) const {
    const std::uint64_t hash = hash_of(key);
    for (auto at = std::lower_bound(by_hash_.begin(), by_hash_.end(), std::pair(hash, std::uint32_t{0}));
         at != by_hash_.end() && at->first == hash; ++at)
        if (!taken[at->second] && points_[at->second].key == key) return at->second;
    return std::nullopt;
}

const std::string& InputPaths::from_study(const std::string& path) {
    const auto [place, is_new] = from_study_.try_emplace(path, path);
    const std::filesystem::path one(path);
    if (is_new && !one.is_absolute() && !folder_.is_absolute() && std::filesystem::is_regular_file(one))
        place->second = std::filesystem::relative(one, folder_.empty() ? "." : folder_).string();
    return place->second;
}

std::string InputPaths::from_here(const std::string& path) const {
    const std::filesystem::path here = (folder_ / path).lexically_normal();
    return std::filesystem::is_regular_file(here) ? here.string() : path;
}

bool InputPaths::is_unchanged(const scenario::InputFile& input) {
    const auto [place, is_new] = hashes_.try_emplace(input.path);
    const std::string path = (folder_ / input.path).string();
    if (is_new && std::filesystem::is_regular_file(path)) place->second = scenario::content_hash(path);
    const bool is_own =
        place->second.empty() && (input.path.find(':') != std::string::npos || input.path == topologies::t800_costs_name);
    return is_own || place->second == input.hash;
}

}  // namespace sweeps
