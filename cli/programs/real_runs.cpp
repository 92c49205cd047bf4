#include "programs/real_runs.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <real_mpi/rank_files.hpp>
#include <real_mpi/real_trace.hpp>
#include <real_mpi/recorded_order.hpp>
#include <text/output_file.hpp>
#include <tmon_replay/mwo_file.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using vocabulary::InputError;

constexpr const char *format = "magicwire-record 1", *manifest = "manifest.json", *order_file = "order.mwo",
                     *trace_file = "trace.mwt";

std::string in(const std::string& folder, const char* name) {
    return (fs::path(folder) / name).string();
}

// Empty: there is none, or it is of something else.
ordered_json manifest_of(const std::string& folder) {
    std::error_code ignored;
    const std::string path = in(folder, manifest);
    if (!fs::is_regular_file(path, ignored)) return {};
    ordered_json json = ordered_json::parse(text::read_text_file(path, "a manifest"), nullptr, false);
    if (!json.is_object() || json.value("format", "") != format || !json.contains("program_hash")) return {};
    return json;
}

void write_manifest(const std::string& folder, const ordered_json& json) {
    text::write_text_file(in(folder, manifest), json.dump(2) + "\n", text::Replace::Yes);
}

tmon_replay::RunIdentity identity_of(const ordered_json& json, const std::string& folder) {
    try {
        tmon_replay::RunIdentity run;
        run.program = json.at("program").get<std::string>();
        run.program_hash = std::stoull(json.at("program_hash").get<std::string>(), nullptr, 16);
        run.arguments = json.at("arguments").get<std::vector<std::string>>();
        return run;
    } catch (const std::exception&) {
        throw InputError({in(folder, manifest), 0, 0}, "it is no manifest of 'magicwire record'; record the run anew");
    }
}

std::size_t lines_of(const tmon_replay::DeliveryOrder& order) {
    std::size_t lines = 0;
    for (const tmon_replay::RankOrder& rank : order.ranks) lines += tmon_replay::in_order(rank.outcomes, !order.whole()).size();
    return lines;
}

}  // namespace

bool is_record_folder(const std::string& name) {
    std::error_code ignored;
    return fs::is_directory(name, ignored) && !manifest_of(name).is_null();
}

void RecordFolder::make(bool force) const {
    std::error_code error;
    if (fs::exists(name_, error)) {
        if (!fs::is_directory(name_, error)) throw InputError({name_, 0, 0}, "is a file; name a folder with --out");
        const bool is_empty = fs::is_empty(name_, error);
        if (!is_empty && !force) throw InputError({name_, 0, 0}, "exists already; -f replaces the record that it holds");
        if (!is_empty && !is_record_folder(name_))
            throw InputError({name_, 0, 0}, "holds something that is no record, so it is not replaced; name another folder");
        for (const char* file : {manifest, order_file, trace_file, "trace.mwt.incomplete", "ranks"})
            fs::remove_all(in(name_, file), error);
    }
    fs::create_directories(in(name_, "ranks"), error);
    if (error) vocabulary::throw_file_error(name_, error.value(), "the folder cannot be made: " + error.message());
}

std::string RecordFolder::ranks() const {
    return fs::absolute(in(name_, "ranks")).lexically_normal().string();
}

void RecordFolder::begin(const real_mpi::Command& command, const tmon_replay::RunIdentity& run) const {
    write_manifest(name_, {{"format", format},
                           {"version", version_text},
                           {"mpi", real_mpi::file_name_of(command.mpi)},
                           {"program", run.program},
                           {"program_hash", fmt::format("{:016x}", run.program_hash)},
                           {"arguments", run.arguments},
                           {"command", command.words}});
}

RecordFolder::Made RecordFolder::finish(const real_mpi::Ended* ended) const {
    ordered_json json = manifest_of(name_);
    Made made;
    {
        const real_mpi::RankFiles files(ranks());
        const real_mpi::RecordedOrder recorded =
            real_mpi::order_of(files, identity_of(json, name_), ended == nullptr || ended->killed);
        made = {.ranks = recorded.order.ranks.size(),
                .messages = recorded.messages,
                .receives = recorded.receives,
                .lines = lines_of(recorded.order),
                .unseen = recorded.order.run.unseen};
        json["ranks"] = made.ranks;
        json["end"] = recorded.order.whole() ? recorded.order.end : "killed";
        json["exit_code"] = ended == nullptr ? ordered_json(nullptr) : ordered_json(ended->status);
        json["messages"] = made.messages;
        json["receives"] = made.receives;
        json["outcomes"] = made.lines;
        json["unseen"] = made.unseen;
        real_mpi::write_trace(files, in(name_, trace_file), json);
        text::write_text_file(in(name_, order_file), tmon_replay::mwo_text(recorded.order), text::Replace::Yes);
    }
    write_manifest(name_, json);
    std::error_code ignored;
    fs::remove_all(ranks(), ignored);
    return made;
}

tmon_replay::DeliveryOrder order_in(const std::string& name) {
    std::error_code ignored;
    if (!fs::is_directory(name, ignored)) return tmon_replay::read_mwo(name);
    if (manifest_of(name).is_null())
        throw InputError({name, 0, 0}, "holds no record of 'magicwire record --out DIR -- mpirun ...'");
    if (!fs::exists(in(name, order_file), ignored)) RecordFolder(name).finish(nullptr);
    return tmon_replay::read_mwo(in(name, order_file));
}

}  // namespace cli
