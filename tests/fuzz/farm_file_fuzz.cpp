// Specifications of farm programs, in a folder with the sources that the inputs of the corpus name; machine and farm are made.
#include <farm_programs/specification.hpp>
#include <scenario/program_scenario.hpp>

#include "fuzz_target.hpp"

namespace {

// Values of options that replace those of the file: the lines before the file, in the order of the command line's options.
std::vector<farm_programs::Replacement> replacements_of(std::string_view lines) {
    std::vector<farm_programs::Replacement> all;
    for (const char* key : {"topology", "total_processors", "total_tasks", "cost"}) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        if (!line.empty()) all.push_back({key, std::string(line), "--option"});
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return all;
}

}  // namespace

FUZZ_TARGET(farm_file, input) {
    static const std::string path = [] {
        for (const char* source : {"a.c", "b.cpp", "in.txt"}) fuzz::put(source, "");
        fuzz::put("t.costs", "* 3ms\n");
        return fuzz::file("own.farm");
    }();
    std::vector<farm_programs::Replacement> replacements;
    if (fuzz::choose(input, 4) == 3) replacements = replacements_of(fuzz::part(input));
    const auto specification = farm_programs::parse_specification(std::string(input), path, replacements);
    specification.all_sources();
    scenario::program_scenario(specification);
}
