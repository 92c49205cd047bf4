#include "traces/isolate_line.hpp"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <scenario/scenario.hpp>
#include <text/shell_words.hpp>
#include <tmon_detrek/fault_list.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <trace_record/trace_file.hpp>
#include <vocabulary/is_file.hpp>

namespace cli {
namespace {

using tmon_detrek::Process;
using tmon_detrek::VerdictKind;

// The user's functions that the verdict names, as words of --process. A process of the system may stand beside them.
std::vector<const char*> functions_in(const std::string& process) {
    std::vector<const char*> found;
    for (const auto& [function, word] :
         {std::pair{Process::DataGenerator, "generate"}, std::pair{Process::ResultReceiver, "post-process"},
          std::pair{Process::Join, "join"}}) {
        if (process.find(process_name(function)) != std::string::npos) found.push_back(word);
    }
    const std::string both(process_name(Process::SplitOrCompute));
    if (process.find(both) != std::string::npos) return {"split", "compute"};
    if (process.find(process_name(Process::Compute)) != std::string::npos) found.push_back("compute");
    return found;
}

struct IsolateRun {
    std::string prefix;
    bool divides = false, machine_code = false;  // T800 code computed
};

void add_lines(std::string& text, const tmon_detrek::PossiblePlace& place, const IsolateRun& run) {
    if (!place.task) return;
    for (const std::string function : functions_in(place.process)) {
        if (run.machine_code && rests_on_compute(function)) continue;
        const bool on_worker = function != "generate" && function != "post-process" && place.node;
        text += fmt::format("{}magicwire isolate {} {}", text.empty() ? "\n" : "", text::shell_word(run.prefix), *place.task);
        if (on_worker && run.divides) text += fmt::format(" {:04x}", place.subtask);
        text += " --process " + function;
        if (on_worker) text += fmt::format(" --node {}", *place.node);
        text += '\n';
    }
}

std::string lines_of_verdict(const tmon_detrek::Verdict& verdict, const IsolateRun& run) {
    if (verdict.kind != VerdictKind::Certain && verdict.kind != VerdictKind::Likely) return {};
    std::string text;
    tmon_detrek::PossiblePlace first;
    first.task = verdict.task ? verdict.task : verdict.not_taken;
    first.process = verdict.process;
    if (!verdict.nodes.empty()) first.node = verdict.nodes.front();
    if (!verdict.subtasks.empty()) first.subtask = verdict.subtasks.front();
    add_lines(text, first, run);
    for (const tmon_detrek::PossiblePlace& place : verdict.also_possible) add_lines(text, place, run);
    return text;
}

}  // namespace

bool rests_on_compute(const std::string& function) {
    return function == "compute" || function == "join" || function == "post-process";
}

std::string isolate_lines(const tmon_detrek::Verdict& verdict, const std::string& prefix) {
    for (const char* ending : {".mwt", ".mwt.incomplete"}) {
        if (!vocabulary::is_file(prefix + ending)) continue;
        const trace_record::TraceFileReader reader(prefix + ending);
        const auto manifest = nlohmann::json::parse(reader.manifest(), nullptr, false);
        if (!manifest.is_object() || !manifest.contains("program")) return {};
        bool machine_code = false;
        for (const auto& input : manifest.value("inputs", nlohmann::json::array()))
            machine_code = machine_code || input.value("role", "") == "compute";
        return lines_of_verdict(verdict, {prefix, tmon_streams::read_spf(prefix + ".spf").divides(), machine_code});
    }
    return {};
}

std::string isolate_lines(const tmon_detrek::Verdict& verdict, const scenario::Scenario& scenario, const std::string& out) {
    if (out.empty() || (scenario.program.empty() && !scenario.farm_program)) return {};
    return lines_of_verdict(verdict, {out + "/data", scenario.farm.divides(), scenario.compute.has_value()});
}

}  // namespace cli
