#include "slurm_state.hpp"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include <vocabulary/errors.hpp>

namespace sweeps {

using Json = nlohmann::ordered_json;

std::vector<std::string> SlurmState::jobs() const {
    std::vector<std::string> all;
    for (const Array& array : arrays)
        if (!array.job.empty()) all.push_back(array.job);
    return all;
}

SlurmState SlurmState::read(const std::string& path) {
    SlurmState state;
    std::ifstream file(path);
    if (!file) return state;
    try {
        const Json json = Json::parse(file);
        state.fingerprint = json.at("fingerprint").get<std::string>();
        state.chunks = json.at("chunks").get<std::string>();
        state.round = json.at("round").get<std::size_t>();
        state.vain_rounds = json.at("vain_rounds").get<std::size_t>();
        for (const Json& one : json.at("arrays"))
            state.arrays.push_back(
                {one.at("job").get<std::string>(), one.at("first").get<std::size_t>(), one.at("count").get<std::size_t>()});
        for (const Json& one : json.at("killed")) state.killed[one.at("point").get<std::size_t>()] = one.at("times").get<int>();
    } catch (const Json::exception&) {
        throw vocabulary::InputError({path, 0, 0},
                                     "is not what the Slurm engine has written; cancel the study's jobs and remove that file");
    }
    return state;
}

void SlurmState::write(const std::string& path) const {
    Json json = {{"fingerprint", fingerprint}, {"chunks", chunks},        {"round", round},
                 {"vain_rounds", vain_rounds}, {"arrays", Json::array()}, {"killed", Json::array()}};
    for (const Array& one : arrays) json["arrays"].push_back({{"job", one.job}, {"first", one.first}, {"count", one.count}});
    for (const auto& [point, times] : killed) json["killed"].push_back({{"point", point}, {"times", times}});
    const std::string beside = path + ".new";
    std::ofstream file(beside);
    file << json.dump(1) << std::endl;
    if (!file)
        throw vocabulary::HostError({beside, 0, 0},
                                    "cannot be written; is the disk full? Make room and give the command again");
    file.close();
    std::filesystem::rename(beside, path);
}

}  // namespace sweeps
