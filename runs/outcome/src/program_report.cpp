#include "program_report.hpp"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace outcome {

using farm_programs::ProgramReport;
using user_programs::CostSource;
using user_programs::Diagnosis;

namespace {

const char* source_text(CostSource source) {
    switch (source) {
        case CostSource::Explicit:
            return "as the program says (work_us and the like)";
        case CostSource::Estimated:
            return "estimated from the basic blocks that ran; an estimate, see docs/model/program_costs.md";
        case CostSource::Fixed:
            return "of a file, for each task";
    }
    return "unknown";
}

// A damaged name holds any bytes.
std::string shown(std::string name) {
    for (char& c : name) {
        if (c < ' ' || c > '~') c = '?';
    }
    return name;
}

std::string silence_text(const std::string& function) {
    return function + "() charges nothing: no call of work_us() or the like; take `costs: estimated`, or say what it costs";
}

}  // namespace

std::string program_text(const ProgramReport& report, const session::Observed& observed) {
    if (report.program.empty()) return {};
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "  costs        {}\n", source_text(report.costs));
    for (std::size_t i = 0; i < farm_programs::functions; ++i) {
        const user_programs::ChargedSum& sum = report.charged[i];
        if (sum.calls == 0) continue;
        const auto function = static_cast<farm_programs::Function>(i);
        const bool is_code = function == farm_programs::Function::Compute && !report.machine_code.empty();
        fmt::format_to(out, "               {:<16} {:>8} calls {:>16} cycles{}\n", farm_programs::function_name(function),
                       sum.calls, sum.cycles.count(), is_code ? " of T800 code, counted" : "");
    }
    for (const std::string& name : report.silent()) fmt::format_to(out, "  warning      {}\n", silence_text(name));
    for (const std::string& sentence : report.mismatches()) fmt::format_to(out, "  warning      {}\n", sentence);
    for (const auto& [name, content] : observed.files) {
        if (farm_programs::plain_file_name(name)) {
            fmt::format_to(out, "  saved        {}, {} bytes\n", name, content.size());
        } else {
            fmt::format_to(out, "  refused      '{}', {} bytes: not written, since this is no plain file name\n", shown(name),
                           content.size());
        }
    }
    for (const Diagnosis& diagnosis : report.diagnoses.all())
        fmt::format_to(out, "  program      {}\n", user_programs::text_of(diagnosis));
    return text;
}

nlohmann::ordered_json program_json(const ProgramReport& report, const session::Observed& observed) {
    nlohmann::ordered_json json = {
        {"costs", user_programs::cost_source_name(report.costs)}, {"estimate", report.costs == CostSource::Estimated},
        {"functions", nlohmann::ordered_json::array()},           {"warnings", nlohmann::ordered_json::array()},
        {"diagnoses", nlohmann::ordered_json::array()},           {"files", nlohmann::ordered_json::array()}};
    if (!report.machine_code.empty()) json["compute_fn"] = "T800 code";
    if (const user_programs::LogSums& logs = report.logs; logs.logs > 0) {
        json["flowback"] = {{"store", user_programs::log_store_name(logs.store)},
                            {"logs", logs.logs},
                            {"bytes", logs.bytes},
                            {"cycles", logs.cycles.count()},
                            {"messages", logs.blocks},
                            {"short_of_memory", logs.short_of_memory},
                            {"with_gaps", logs.with_gaps}};
    }
    for (std::size_t i = 0; i < farm_programs::functions; ++i) {
        const user_programs::ChargedSum& sum = report.charged[i];
        if (sum.calls == 0) continue;
        json["functions"].push_back({{"name", farm_programs::function_name(static_cast<farm_programs::Function>(i))},
                                     {"calls", sum.calls},
                                     {"silent_calls", sum.silent_calls},
                                     {"cycles", sum.cycles.count()}});
    }
    for (const std::string& name : report.silent()) json["warnings"].push_back(silence_text(name));
    for (const std::string& sentence : report.mismatches()) json["warnings"].push_back(sentence);
    for (const Diagnosis& d : report.diagnoses.all()) {
        nlohmann::ordered_json line = {{"problem", user_programs::problem_name(d.problem)},
                                       {"node", d.node.value()},
                                       {"function", d.function},
                                       {"where", d.where},
                                       {"what", d.what},
                                       {"outcome", d.outcome},
                                       {"advice", d.advice},
                                       {"times", d.times},
                                       {"text", user_programs::text_of(d)}};
        if (d.task) line["task"] = d.task->task;
        if (d.task) line["subtask"] = d.task->subtask;
        json["diagnoses"].push_back(std::move(line));
    }
    for (const auto& [name, content] : observed.files) {
        json["files"].push_back({{"name", shown(name)}, {"bytes", content.size()}});
        if (!farm_programs::plain_file_name(name)) json["files"].back()["refused"] = true;
    }
    return json;
}

}  // namespace outcome
