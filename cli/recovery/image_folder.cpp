#include "recovery/image_folder.hpp"

#include <unistd.h>

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

ImageFolder ImageFolder::draft() const {
    const std::string prefix = "draft.";
    std::error_code error;
    for (const auto& its : fs::directory_iterator(folder_, error)) {  // those of processes that were killed
        const std::string name = its.path().filename().string();
        if (!name.starts_with(prefix)) continue;
        if (!fs::exists("/proc/" + name.substr(prefix.size()))) ImageFolder(its.path().string()).remove();
    }
    const fs::path made = fs::path(folder_) / (prefix + std::to_string(getpid()));
    fs::create_directories(made / "images", error);
    if (error) vocabulary::throw_file_error(made.string(), error.value(), "the folder cannot be made: " + error.message());
    return ImageFolder(made.string());
}

void ImageFolder::keep(const ImageFolder& draft) const {
    clear();
    std::error_code error;
    fs::rename(fs::path(draft.folder_) / "images", fs::path(folder_) / "images", error);
    if (!error) fs::rename(draft.messages(), messages(), error);
    draft.remove();
    if (error) vocabulary::throw_file_error(messages(), error.value(), "it cannot be put there: " + error.message());
}

void ImageFolder::remove() const {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
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

std::uint64_t ImageFolder::identity_of(const RecordedRun& run) {
    const auto manifest = nlohmann::ordered_json::parse(run.record().manifest, nullptr, false);
    const std::string text = manifest_of(run, false) + manifest.value("program_hash", "") +
                             manifest.value("arguments", nlohmann::ordered_json()).dump();
    return tmon_recovery::checksum(text.data(), text.size());
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
