#include "flowback/flowback_place.hpp"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <tmon_flowback/prepared.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {

namespace fs = std::filesystem;
using vocabulary::InputError;

namespace {

void write(const fs::path& file, const std::string& content) {
    std::ofstream stream(file, std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();
    if (!stream) throw vocabulary::HostError({file.string(), 0, 0}, "cannot be written; is the disk full?");
}

session::FlowbackPlace written(const std::string& folder, const std::string& prepared, const std::string& version) {
    const tmon_flowback::PreparedProgram program(prepared);
    session::FlowbackPlace place;
    place.module = folder + "/" + version + ".so";
    place.digest = program.digest();
    write(place.module, program.module(version + ".so"));
    write(folder + "/" + version + ".blocks", program.module(version + ".blocks"));
    return place;
}

user_programs::LogStore store_of(const std::string& name) {
    using user_programs::LogStore;
    for (const LogStore store : {LogStore::Host, LogStore::Node}) {
        if (name == user_programs::log_store_name(store)) return store;
    }
    return LogStore::Free;
}

}  // namespace

void LogOptions::add_store(CLI::App& command) {
    command
        .add_option("--store", store,
                    "where logs go: host, over the links; node, in its memory until the run is over; free, at no cost")
        ->check(CLI::IsMember({"host", "node", "free"}))
        ->capture_default_str()
        ->needs(command.get_option("--flowback"));
}

void LogOptions::add_prepared(CLI::App& command) {
    command
        .add_option("--prepared", prepared,
                    "the program as `magicwire prepare` made it; default: NAME.prepared in the current folder")
        ->type_name("FILE")
        ->check(file_name())
        ->needs(command.get_option("--flowback"));
}

session::FlowbackPlace logging_version(const std::string& folder, const std::string& prepared, const std::string& store) {
    session::FlowbackPlace place = written(folder, prepared, "logging");
    place.folder = folder;
    place.store = store_of(store);
    fs::copy_file(prepared, fs::path(place.folder) / fs::path(prepared).filename());
    return place;
}

session::FlowbackPlace plain_version(const std::string& folder, const std::string& prepared) {
    return written(folder, prepared, "plain");
}

PassingFolder::PassingFolder() : path_((fs::temp_directory_path() / "magicwire_flowback.XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw vocabulary::HostError({path_, 0, 0}, "cannot be made; is the disk full?");
}

PassingFolder::~PassingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string new_log_folder(const std::string& folder) {
    const fs::path place = fs::path(folder) / "flowback";
    std::error_code error;
    if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
        throw InputError({folder, 0, 0}, "exists already; name another folder for the logs, or remove it");
    fs::create_directories(place, error);
    if (error) throw InputError({folder, 0, 0}, "cannot be made: " + error.message() + "; name another folder");
    return place.string();
}

std::string finish_flowback(const session::FlowbackPlace& place, const user_programs::LogSums& sums) {
    std::error_code ignored;
    for (const char* name : {"logging.so", "logging.blocks", "logging.blocks.key"})
        fs::remove(fs::path(place.folder) / name, ignored);
    if (sums.logs == 0) return "  flowback     no function of the program ran, so there are no logs\n";
    std::string text = fmt::format("  flowback     {} logs, {} bytes; ", sums.logs, sums.bytes);
    if (sums.store == user_programs::LogStore::Free) return text + "keeping them was free\n";
    text += fmt::format("keeping them took {} cycles of the processors", sums.cycles.count());
    if (sums.blocks > 0) text += fmt::format(", and {} messages to the host", sums.blocks);
    text += "\n";
    if (sums.short_of_memory > 0)
        text += fmt::format("  flowback     {} logs are cut: their nodes had no memory for more; give the nodes more RAM{}\n",
                            sums.short_of_memory, sums.store == user_programs::LogStore::Node ? ", or take --store host" : "");
    if (sums.with_gaps > 0)
        text += fmt::format("  flowback     {} logs are cut: a part did not reach the host\n", sums.with_gaps);
    return text;
}

std::string prepared_of(const std::string& program, const std::string& given) {
    std::string file = given.empty() ? program + ".prepared" : given;
    if (fs::is_regular_file(file)) return file;
    throw InputError({file, 0, 0}, "there is no such prepared program; make it with: magicwire prepare SOURCES -o " + program +
                                       ".prepared, or name another with --prepared");
}

}  // namespace cli
