#include "traces/stored_farm.hpp"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_detrek/detrek.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_summary.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {
namespace {

namespace fs = std::filesystem;
using vocabulary::InputError;

std::string specification_beside(const std::string& trace) {
    fs::path path(trace);
    if (path.extension() == ".incomplete") path.replace_extension();
    path.replace_extension(".spf");
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        throw InputError({trace, 0, 0},
                         fmt::format("has no specification of its farm beside it ({}); copy that from the folder "
                                     "of the run, or write its numbers: NumProc Topology NumTasks TaskDegree "
                                     "TaskDepth",
                                     path.string()));
    return path.string();
}

std::uint32_t number(const char* option, const std::string& text, int base, const char* instead) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size())
        throw CLI::ValidationError(option, fmt::format("'{}' is no number; {}", text, instead));
    return value;
}

}  // namespace

StoredFarm load_farm(const std::string& place) {
    StoredFarm farm;
    farm.file = tmon_streams::trace_file(place);
    const std::string specification = specification_beside(farm.file);
    farm.spec = tmon_detrek::read_specification(specification);
    if (!farm.spec.is_farm())
        throw InputError({specification, 0, 0},
                         fmt::format("is of a '{}', and this command tells of the tasks of farms; 'magicwire detrek' takes the "
                                     "trace",
                                     farm.spec.model));
    tmon_streams::StoredTrace stored = tmon_streams::load_trace(farm.file);
    if (stored.trace.streams.size() != farm.spec.nodes)
        throw InputError({specification, 0, 0},
                         fmt::format("describes {} nodes, and the trace beside it has {}; the files of one session belong "
                                     "together",
                                     farm.spec.nodes, stored.trace.streams.size()));
    farm.trace = std::move(stored.trace);
    farm.manifest = std::move(stored.manifest);
    farm.status = stored.status;
    farm.complete = stored.end == trace_record::TraceEnd::Complete;
    farm.damaged = stored.end == trace_record::TraceEnd::Damaged;
    if (!farm.complete) farm.warning = "The trace is " + farm.status + ": " + tmon_streams::why_not_whole(stored.end) + ".";
    return farm;
}

nlohmann::ordered_json StoredFarm::trace_json() const {
    return {{"complete", complete}, {"damaged", damaged}, {"status", status}};
}

std::uint32_t task_number(const std::string& text) {
    return number("TASK", text, 10, "give the number of a task, such as 49");
}

std::uint32_t part_number(const std::string& text) {
    return number("SUBTASK", text, 16, "give it in hexadecimal as in the list of faults, such as 0010");
}

}  // namespace cli
