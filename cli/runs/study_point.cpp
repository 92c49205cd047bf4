#include "runs/study_point.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <forks/bytes.hpp>
#include <oracle/measured.hpp>
#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>
#include <prediction/predict.hpp>
#include <text/output_file.hpp>
#include <text/shell_words.hpp>
#include <tmon_detrek/detrek.hpp>
#include <twin/overhead.hpp>

#include "frame/command.hpp"
#include "frame/run_options.hpp"
#include "frame/scenario_options.hpp"
#include "runs/study_case.hpp"

namespace cli {
namespace {

ScenarioOptions options_of(const sweeps::Point& point) {
    ScenarioOptions options;
    options.file = point.scenario;
    options.takes_halo = options.takes_mpi = true;
    return options;
}

std::string arguments_of(const sweeps::Point& point) {
    std::string line = text::shell_word(point.scenario);
    for (const auto& [name, value] : point.settings) line += " --set " + text::shell_word(name + "=" + value);
    return line;
}
std::string run_line(const sweeps::Point& point) {
    return "magicwire run " + arguments_of(point);
}
std::string bill_in(const std::string& folder) {
    return folder + "/bill.json";
}

// Puts what each command prints beside the run's documents, or says in the row why one failed.
void run_commands(const sweeps::Study& study, const Case& here, const std::string& out, sweeps::CommandServers* servers,
                  PointRun& run) {
    nlohmann::ordered_json printed;
    if (study.maker) printed[sweeps::made_name] = here.printed;
    for (const sweeps::Command& command : study.commands) {
        sweeps::CommandEnd end = run_for(study, command, here.point, out, servers, run.row);
        if (!run.row.failure.empty()) {
            run.documents = {};
            return;
        }
        printed[command.name] = std::move(end.document);
    }
    run.documents[sweeps::commands_key] = std::move(printed);
}

// The JSON of `predict`, with what a measure cannot reach in it. A prediction that is refused has no figures, and the run has
// its own.
nlohmann::ordered_json prediction_of(const scenario::Scenario& scenario) {
    nlohmann::ordered_json json;
    try {
        const farm_model::Prediction made = prediction::predict(scenario);
        json = nlohmann::ordered_json::parse(prediction::prediction_json(scenario, made, nullptr, {}));
        std::string doubts;
        for (const std::string& caveat : made.caveats) doubts += (doubts.empty() ? "" : "; ") + caveat;
        json["doubts"] = doubts;
        json["refused"] = "";
    } catch (const vocabulary::RequestError& error) {
        json = {{"tasks_per_second", nullptr}, {"start_up_s", nullptr},      {"total_s", nullptr}, {"speed_up", nullptr},
                {"critical_node", nullptr},    {"critical_reason", nullptr}, {"doubts", ""},       {"refused", error.what()}};
    }
    const auto pilot = json.value("pilot", nlohmann::ordered_json());
    json["pilot_tasks"] = pilot.is_object() ? pilot["tasks"] : nlohmann::ordered_json();
    json["formula_tasks_per_second"] = pilot.is_object() ? pilot["formula_tasks_per_second"] : nlohmann::ordered_json();
    return json;
}

// The truth's times, as a prediction counts them: until the last worker has its first task, and until result_receiver returned.
nlohmann::ordered_json measured_times(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    const oracle::Measured seen = oracle::measured(scenario, result);
    const auto us = [](const std::optional<double>& seconds) {
        return seconds ? nlohmann::ordered_json(std::round(*seconds * 1e12) / 1e6) : nlohmann::ordered_json(nullptr);
    };
    return {{"start_up_us", us(seen.start_up_s)}, {"total_us", us(seen.total_s)}};
}

std::vector<scenario::InputFile> inputs_of(const sweeps::Study& study) {
    std::vector<scenario::InputFile> inputs;
    const auto add = [&](const sweeps::Command& command) {
        for (const std::string& file : command.files) inputs.push_back({command.name, file, scenario::content_hash(file)});
    };
    if (study.maker) add(study.maker->command);
    for (const sweeps::Command& command : study.commands) add(command);
    return inputs;
}

// Adds the files that a run has read. Those of its case are left out: they follow from the number and the command.
void add_inputs(const std::vector<scenario::InputFile>& read, const std::string& folder, sweeps::PointRow& row) {
    for (const scenario::InputFile& input : read)
        if (folder.empty() || !input.path.starts_with(folder + '/')) row.inputs.push_back(input);
}

// The run and its documents. `point`: named as in its line; `here`: where it lies; `out`: what the commands look at, or null.
void run_scenario(const sweeps::Study& study, const sweeps::Point& point, const sweeps::Point& here, const PointFolder* out,
                  PointRun& run) {
    const scenario::Scenario scenario = options_of(here).read(here.settings);
    check_wanted(study, scenario, "this point");
    nlohmann::ordered_json bill;
    if (sweeps::needs(study, "bill"))  // in processes of its own, before this one has a machine
        bill = nlohmann::ordered_json::parse(twin::overhead_json(scenario, twin::measure_overhead(scenario)));
    nlohmann::ordered_json predicted;
    if (sweeps::needs(study, "predicted")) predicted = prediction_of(scenario);  // likewise
    oracle::SessionResult result;
    oracle::run_session(scenario, result);
    const tmon_detrek::DetrekResult analysis = analysed(scenario, result.observed);
    const outcome::Manifest manifest{{}, version_text, run_line(point)};
    run.documents = nlohmann::ordered_json::parse(outcome::summary_json(scenario, result, manifest, analysis.json));
    // 0 where the farm did not finish. That is no time, and no mean may count it.
    if (!result.simulated.farm.finished) run.documents["execution_us"] = nullptr;
    if (!predicted.is_null()) run.documents["predicted"] = std::move(predicted);
    if (sweeps::needs(study, "measured")) run.documents["measured"] = measured_times(scenario, result);
    if (sweeps::needs(study, "oracle"))
        run.documents["oracle"] = nlohmann::ordered_json::parse(outcome::oracle_json(scenario, result));
    run.row.exit_code = exit_code_of(result, analysis);
    run.row.run_hash = run.documents.value("run_hash", "");
    add_inputs(scenario.inputs, here.folder, run.row);
    if (out != nullptr) {
        outcome::write_outputs(out->out(), scenario, result, manifest, analysis.json, false);
        if (!bill.is_null()) text::write_text_file(bill_in(out->out()), bill.dump() + "\n", text::Replace::No);
    }
    if (!bill.is_null()) run.documents["bill"] = std::move(bill);
}

}  // namespace

double processor_seconds() {
    double sum = 0;
    for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(whose, &used);
        for (const timeval& part : {used.ru_utime, used.ru_stime})
            sum += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) * 1e-6;
    }
    return sum;
}

std::string repeat_line(const sweeps::Study& study, const sweeps::Point& point) {
    constexpr const char* out = "point";
    std::string line;
    const auto then = [&line](const char* between, const std::string& more) {
        if (!line.empty()) line += between;
        line += more;
    };
    const auto command_line = [&](const sweeps::Command& command) {
        std::string words;
        for (const std::string& word : sweeps::words_of(command, point, out))
            words += (words.empty() ? "" : " ") + text::shell_word(word);
        return words;
    };
    if (!point.folder.empty()) line = "mkdir -p " + text::shell_word(point.folder);
    if (study.maker) then(" && ", command_line(study.maker->command));
    if (study.runs) then(" && ", run_line(point) + (study.commands.empty() ? "" : fmt::format(" --out {} --force", out)));
    if (study.runs && !study.commands.empty() && sweeps::needs(study, "bill"))
        then("; ", fmt::format("magicwire overhead {} --json > {}", arguments_of(point), bill_in(out)));
    for (const sweeps::Command& command : study.commands) then("; ", command_line(command));
    return line;
}

void check_wanted(const sweeps::Study& study, const scenario::Scenario& scenario, const std::string& point) {
    const sweeps::Measure* bill = sweeps::first_of(study, "bill");
    if (bill != nullptr && !scenario.monitor)
        throw vocabulary::InputError(
            bill->where,
            fmt::format("'{}' is part of the bill of monitoring, and {} has no monitor; add 'monitor:' to its scenario, "
                        "or leave the measure out",
                        bill->path, point));
    for (const char* part : {"farm", "load", "predicted", "measured"}) {
        const sweeps::Measure* measure = scenario.farm.is_farm() ? nullptr : sweeps::first_of(study, part);
        if (measure != nullptr)
            throw vocabulary::InputError(
                measure->where, fmt::format("'{}' tells of a farm, and {} runs {}; leave the measure out", measure->path, point,
                                            scenario.halo ? "a halo" : "an MPI program"));
    }
}

PointRun run_point(const sweeps::Study& study, const sweeps::Point& point, sweeps::CommandServers* servers) {
    const auto began = std::chrono::steady_clock::now();
    std::optional<PointFolder> folder;
    if (uses_folders(study)) folder.emplace();
    PointRun run;
    run.row.repeat = point.repeat;
    run.row.inputs = inputs_of(study);
    const Case here = folder ? make_case(study, point, *folder, servers, run.row) : Case{point, {}};
    const bool is_watched = !study.commands.empty();
    if (run.row.failure.empty()) {
        if (study.runs) run_scenario(study, point, here.point, is_watched ? &*folder : nullptr, run);
        if (folder) run_commands(study, here, folder->out(), servers, run);
    }
    if (!run.documents.is_null()) {
        sweeps::Measured measured = sweeps::measure(study, run.documents);
        run.row.values = std::move(measured.values);
        run.row.failure = std::move(measured.failure);
    }
    run.row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return run;
}

std::string packed(const sweeps::PointRow& row) {
    forks::Bytes bytes;
    bytes.put(row.exit_code);
    bytes.put_text(row.failure);
    bytes.put_text(row.run_hash);
    bytes.put(row.values.size());
    for (const sweeps::Value& value : row.values) {
        bytes.put(value.is_text);
        bytes.put_text(value.text);
        bytes.put(value.number.has_value());
        bytes.put(value.number.value_or(0));
    }
    bytes.put(row.inputs.size());
    for (const auto& input : row.inputs)
        for (const std::string* text : {&input.role, &input.path, &input.hash}) bytes.put_text(*text);
    bytes.put(row.seconds);
    bytes.put(row.processor_seconds);
    return bytes.take_bytes();
}

sweeps::PointRow unpacked(const std::string& text) {
    forks::Bytes bytes(text);
    sweeps::PointRow row;
    row.exit_code = bytes.get<int>();
    row.failure = bytes.get_text();
    row.run_hash = bytes.get_text();
    row.values.resize(bytes.get<std::size_t>());
    for (sweeps::Value& value : row.values) {
        value.is_text = bytes.get<bool>();
        value.text = bytes.get_text();
        const bool has_number = bytes.get<bool>();
        const double number = bytes.get<double>();
        if (has_number) value.number = number;
    }
    row.inputs.resize(bytes.get<std::size_t>());
    for (auto& input : row.inputs)
        for (std::string* field : {&input.role, &input.path, &input.hash}) *field = bytes.get_text();
    row.seconds = bytes.get<double>();
    row.processor_seconds = bytes.get<double>();
    return row;
}

}  // namespace cli
