// Cost tables, and the files of numbers line by line: times and descriptions of tasks, unload sequences, costs of blocks.
#include <instrumentation/unload_sequence.hpp>
#include <topologies/cost_settings.hpp>
#include <topologies/cost_table.hpp>
#include <trek_kernel/simulated_application.hpp>

#ifdef MAGICWIRE_SIMULATION
#include <user_programs/block_costs.hpp>
#include <user_programs/program_costs.hpp>
#endif

#include "fuzz_target.hpp"

namespace {

// A table that a person gives must be whole, so its rows are read without that demand too.
void cost_table(const std::string& text) {
    const topologies::CostTable part = topologies::CostTable::parse(text, "costs.yaml");
    for (const topologies::Cost& cost : part.rows()) part.get(cost.name, cost.unit);
    const topologies::CostTable whole = topologies::CostTable::read(fuzz::put("costs.yaml", text));
    topologies::check_costs(whole, {"costs.yaml", 0, 0});
}

// "NAME=VALUE" on the table of the T800, one a line.
void cost_setting(const std::string& text) {
    static const topologies::CostTable t800 = topologies::CostTable::t800();
    topologies::CostTable table = t800;
    const std::size_t equals = std::min(text.find('='), text.size());
    topologies::set_cost(table, {text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))}, {"seed"});
    topologies::check_costs(table, {"--set", 0, 0});
}

void tasks(const std::string& text) {
    const trek_kernel::TaskTable table = trek_kernel::TaskTable::parse(text, "tasks.dat");
    for (const trek_kernel::PlannedBug& bug : table.bugs())
        fuzz::require(!bug.tasks.empty() && bug.tasks[0].first <= bug.tasks[0].last, "a bug of a .dat file has no tasks");
}

#ifdef MAGICWIRE_SIMULATION
// The file of costs begins with a line that says to which module it belongs.
void blocks(const std::string& text) {
    fuzz::put("module.so", "");
    fuzz::put("module.blocks", "magicwire.blocks/1 cbf29ce484222325\n" + text);
    user_programs::read_block_costs(fuzz::file("module.so"), true);
}
#endif

}  // namespace

FUZZ_TARGET(cost_files, input) {
    const std::size_t reader = fuzz::choose(input, 7);
    const std::string text(input);
    switch (reader) {
        case 0:
            return cost_table(text);
        case 1:
            return cost_setting(text);
        case 2:
            return tasks(text);
        case 3:
            instrumentation::UnloadSequence::parse(text, "unload.txt").at(0);
            return;
#ifdef MAGICWIRE_SIMULATION
        case 4:
            user_programs::TaskTimes::parse(text, "times").of(0);
            return;
        case 5:
            return blocks(text);
        case 6:
            user_programs::block_costs_of(text);
            return;
#endif
        default:
            return;
    }
}
