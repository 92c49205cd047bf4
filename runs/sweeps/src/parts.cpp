// The folder of parts: files of the workers of a study, until they are collected.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include <sweeps/point_lists.hpp>
#include <sweeps/slurm_engine.hpp>
#include <vocabulary/errors.hpp>

namespace sweeps {

namespace fs = std::filesystem;

std::string parts_file(const std::string& out, const std::string& name) {
    std::error_code error;
    fs::create_directories(out + ".parts", error);
    if (error) vocabulary::throw_file_error(out + ".parts", error.value(), "cannot be made: " + error.message());
    return out + ".parts/" + name;
}

std::size_t collect_parts(const std::string& out, StudyDatabase& database) {
    std::vector<std::string> parts;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(out + ".parts", none))
        if (entry.path().extension() == ".db") parts.push_back(entry.path().string());
    std::sort(parts.begin(), parts.end());
    std::size_t rows = 0;
    for (const std::string& part : parts) {
        try {
            rows += database.take_from(part);
        } catch (const DatabaseBusy&) {
            continue;  // somebody works on it still
        } catch (const vocabulary::InputError&) {
            // It is of another program or another state of the study: its rows do not hold.
        }
        for (const char* ending : {"", "-journal"}) fs::remove(part + ending);
    }
    return rows;
}

void remove_parts_folder(const std::string& out) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(out + ".parts", none))
        if (entry.path().extension() == ".db") return;
    fs::remove_all(out + ".parts", none);
}

std::vector<std::size_t> points_of_chunk(const std::string& place, const std::string& fingerprint) {
    const std::size_t colon = place.rfind(':');
    const std::string path = place.substr(0, colon);
    std::ifstream file(path);
    std::string line;
    if (colon == std::string::npos || !std::getline(file, line))
        throw vocabulary::RequestError("'" + place + "' is no chunk of a study, as FILE:NUMBER");
    if (line != fingerprint)
        throw vocabulary::RequestError(
            "the study or the program has changed since its jobs were submitted; cancel them, and give its command again");
    std::size_t number = 0;
    const char* const end = place.data() + place.size();
    if (std::from_chars(place.data() + colon + 1, end, number).ptr != end)
        throw vocabulary::RequestError("'" + place + "' is no chunk of a study, as FILE:NUMBER");
    for (std::size_t i = 0; i <= number; ++i)
        if (!std::getline(file, line)) throw vocabulary::RequestError("'" + place + "': there are fewer chunks");
    return points_of_list(line);
}

}  // namespace sweeps
