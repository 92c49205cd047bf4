#include "flowback/flowback_place.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <tmon_flowback/prepared.hpp>
#include <vocabulary/source_position.hpp>

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

}  // namespace

session::FlowbackPlace flowback_place(outcome::RunFolder& folder, const std::string& prepared) {
    const tmon_flowback::PreparedProgram program(prepared);
    session::FlowbackPlace place;
    place.folder = folder.subfolder("flowback");
    place.module = place.folder + "/program.so";
    place.digest = program.digest();
    write(place.module, program.module("logging.so"));
    write(place.folder + "/program.blocks", program.module("logging.blocks"));
    fs::copy_file(prepared, fs::path(place.folder) / fs::path(prepared).filename());
    return place;
}

std::string finish_flowback(const session::FlowbackPlace& place) {
    std::error_code ignored;
    for (const char* name : {"program.so", "program.blocks", "program.blocks.key"})
        fs::remove(fs::path(place.folder) / name, ignored);
    std::uint64_t bytes = 0, logs = 0;
    for (const auto& entry : fs::directory_iterator(place.folder)) {
        if (entry.path().extension() != ".mwl") continue;
        bytes += entry.file_size();
        ++logs;
    }
    return fmt::format("  flowback     {} logs, {} bytes; the modelled machine is not charged for them\n", logs, bytes);
}

std::string prepared_of(const std::string& program, const std::string& given) {
    const std::string file = given.empty() ? program + ".prepared" : given;
    if (fs::is_regular_file(file)) return file;
    throw InputError({file, 0, 0}, "there is no such prepared program; make it with: magicwire prepare SOURCES -o " + program +
                                       ".prepared, or name another with --prepared");
}

}  // namespace cli
