// Study files beside the files that they may name: points, measures and commands, without a run.
#include <set>

#include <nlohmann/json.hpp>
#include <sweeps/measures.hpp>
#include <sweeps/point_command.hpp>
#include <sweeps/study.hpp>

#include "fuzz_target.hpp"

namespace {

constexpr std::size_t most_axis_values = 300;  // a study of a million points says nothing more than one of some

std::string study_folder() {
    for (const char* name : {"farm.yaml", "t.dat", "u.dat", "judge.py", "a.faults", "a.bugs"}) fuzz::put(name, "");
    return fuzz::file("study.yaml");
}

bool is_small(const sweeps::Study& study) {
    for (const sweeps::Axis& axis : study.axes)
        if (axis.values.size() > most_axis_values) return false;
    return study.axes.size() <= 3 && study.count <= most_axis_values;
}

}  // namespace

FUZZ_TARGET(study_file, input) {
    static const std::string path = study_folder();
    fuzz::put("study.yaml", input);
    const sweeps::Study study = sweeps::read_study(path);
    fuzz::require(!study.axes.empty() && !study.measures.empty(), "a study has no axis or no measure");
    for (const sweeps::Axis& axis : study.axes) {
        std::set<std::string> texts;
        for (const sweeps::AxisValue& value : axis.values) texts.insert(value.text);
        const bool are_different = texts.size() == axis.values.size() || study.combine == sweeps::Combine::Zip;
        fuzz::require(!texts.empty() && are_different, "an axis has no value, or one twice");
    }
    if (!is_small(study)) return;
    const sweeps::Points points(study);
    for (std::size_t i = 0; i < points.size(); ++i)
        fuzz::require(points[i].values.size() == study.axes.size(), "a point has too few values");
    for (const sweeps::Command& command : study.commands)
        fuzz::require(!sweeps::words_of(command, points[0], "out").empty(), "a command has no word");
    nlohmann::ordered_json documents = {{"us", 3}, {"none", nullptr}, {"end", "well"}, {"list", {1, 2}}};
    documents[sweeps::commands_key] = nlohmann::ordered_json::object();
    fuzz::require(sweeps::measure(study, documents).values.size() == study.measures.size(), "a measure is missing");
    sweeps::check_measures(study, documents);
}
