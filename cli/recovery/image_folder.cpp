#include "recovery/image_folder.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {

namespace fs = std::filesystem;

std::string ImageFolder::image(tmon_recovery::ProcessNo process, std::uint32_t index) const {
    return (fs::path(folder_) / "images" / fmt::format("P{}.{}.mwi", process, index)).string();
}
std::string ImageFolder::messages() const {
    return (fs::path(folder_) / "messages.mwm").string();
}

void ImageFolder::clear() const {
    std::error_code ignored;
    fs::remove(messages(), ignored);
    fs::remove_all(fs::path(folder_) / "images", ignored);
}

void ImageFolder::make() const {
    std::error_code error;
    fs::create_directories(fs::path(folder_) / "images", error);
    if (error) vocabulary::throw_file_error(folder_, error.value(), "the folder images cannot be made: " + error.message());
}

// The events by their checks, so that images of another run are refused.
std::string ImageFolder::manifest_of(const RecordedRun& run, bool all) {
    const auto& checks = run.record().checks;
    return nlohmann::ordered_json{
        {"format", "magicwire-logged-run 1"},
        {"events", fmt::format("{:016x}", tmon_recovery::checksum(checks.data(), checks.size() * sizeof checks.front()))},
        {"checkpoints", name_of(run.plan().rule)},
        {"interval_ns", run.plan().interval_ns},
        {"method", all ? "all" : "mrt"},
        {"rule3", "printed"}}
        .dump();
}

std::optional<tmon_recovery::MessageLog> ImageFolder::log_of(const RecordedRun& run, bool all, std::string& why) const {
    if (!fs::exists(messages())) return std::nullopt;
    try {
        tmon_recovery::MessageLog log(messages());
        if (log.manifest() == manifest_of(run, true) || (!all && log.manifest() == manifest_of(run, false))) return log;
        why = messages() + (log.manifest() == manifest_of(run, false) ? " has not all packets"
                                                                      : " is of another record, or of other checkpoints");
    } catch (const vocabulary::InputError& error) {
        why = error.what();
    }
    return std::nullopt;
}

}  // namespace cli
