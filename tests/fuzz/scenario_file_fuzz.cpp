// Scenario files in a folder with the files that they may name, and settings of --set.
#include <filesystem>

#include <scenario/scenario.hpp>

#include "fuzz_target.hpp"

namespace {

// The files beside the scenario; returns the scenario's path.
std::string folder() {
    namespace fs = std::filesystem;
    const fs::path machines = MAGICWIRE_SOURCE_DIR "/topologies/machines";
    for (const char* machine : {"btree_8_c004.yaml", "btree_8_interrupts.yaml"})
        fs::copy_file(machines / machine, fuzz::file(machine), fs::copy_options::overwrite_existing);
    fuzz::put("t.dat", "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n3  1 1 0  2 2 1  3 3 0  4 4 0  5 5 0\n");
    fuzz::put("u.txt", "5000 1 2\n6000 2 3\n");
    fuzz::put("l.bugs", "version: 1\nbugs:\n  - {kind: slow, task: 1, process: compute, factor: 2}\n");
    fuzz::put("p.faults", "version: 1\nfaults:\n  - {die: n5, at: 5ms}\n");
    fuzz::put("in.txt", "1 2 3\n");
    fuzz::put("t.costs", "* 3ms\n");
    for (const char* source : {"a.c", "b.cpp"}) fuzz::put(source, "");
    fuzz::put("p.farm",
              "begin\nVirtual_Machine\n type = PFVM;\nConfiguration\n topology = BTREE;\n total_tasks = 9;\n"
              " total_processors = 7;\nPrograms\n data_generator = a.c;\n comp_function = a.c;\n result_receive = a.c;\nend\n");
    return fuzz::file("s.yaml");
}

// "NAME=VALUE" lines.
std::vector<scenario::Setting> settings_of(std::string_view lines) {
    std::vector<scenario::Setting> settings;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        const std::size_t equals = std::min(line.find('='), line.size());
        settings.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return settings;
}

}  // namespace

FUZZ_TARGET(scenario_file, input) {
    static const std::string path = folder();
    std::vector<scenario::Setting> settings;
    if (fuzz::choose(input, 2) == 1) settings = settings_of(fuzz::part(input));
    fuzz::put("s.yaml", input);
    const scenario::Scenario read = scenario::read_scenario(path, settings, {});
    fuzz::require(!read.machine.nodes.empty(), "a scenario has no machine");
    for (const scenario::InputFile& file : read.inputs) fuzz::require(file.hash.size() == 16, "an input has no hash");
}
