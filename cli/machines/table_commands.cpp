// describe, costs: commands that print what is known without running anything.
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <topologies/cost_table.hpp>
#include <topologies/describe.hpp>
#include <topologies/machine_parser.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

const char* provenance_letter(topologies::Provenance provenance) {
    static constexpr const char* letters[] = {"V", "R", "D", "A"};
    return letters[static_cast<std::size_t>(provenance)];
}

nlohmann::ordered_json paid_in(const topologies::Cost& cost) {
    if (cost.paid_in == topologies::PaidIn::Neither) return nullptr;
    return topologies::paid_in_text(cost.paid_in);
}

void print_costs(const std::string& path, bool json) {
    const topologies::CostTable table = path.empty() ? topologies::CostTable::t800() : topologies::CostTable::read(path);
    if (json) {
        nlohmann::ordered_json out = {{"schema", "magicwire.costs/1"}};
        for (const auto& cost : table.rows()) {
            out["costs"].push_back({{"name", cost.name},
                                    {"value", cost.value},
                                    {"unit", cost.unit},
                                    {"paid_in", paid_in(cost)},
                                    {"provenance", provenance_letter(cost.provenance)},
                                    {"source", cost.source}});
        }
        put(out.dump(2));
        return;
    }
    put(fmt::format("{:<32} {:>10} {:<8} {:<8} {:<2} {}", "cost", "value", "unit", "paid in", "",
                    "source (V seen, R recalled, D derived, A assumed)"));
    for (const auto& cost : table.rows())
        put(fmt::format("{:<32} {:>10} {:<8} {:<8} {:<2} {}", cost.name, cost.value, cost.unit,
                        topologies::paid_in_text(cost.paid_in), provenance_letter(cost.provenance), cost.source));
    put("\nPaid in cycles: work of a processor or of its software. It takes as long as the node's clock makes it; microseconds "
        "and "
        "MB/s\nof such a row are those of a T800-20, 50 ns a cycle. Paid in time: the same on every node, whatever its clock.");
}

}  // namespace

void add_describe(CLI::App& app, int& result) {
    struct Options {
        std::string file;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("describe", "Check a machine file and print its nodes, links, switches and diameter");
    command->add_option("FILE", options->file, "machine file (YAML)")->required();
    command->add_flag("--json", options->json, "print JSON");
    command->footer("Example:\n  magicwire describe topologies/machines/btree_8_c004.yaml\n");
    command->callback([options, &result] {
        const auto machine = topologies::read_machine(options->file);
        put(options->json ? topologies::describe_json(machine) : topologies::describe_text(machine));
        result = exit_code::nothing_found;
    });
}

void add_costs(CLI::App& app, int& result) {
    struct Options {
        std::string file;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("costs", "Print every modelled cost with unit and source");
    command->add_option("FILE", options->file, "cost table (YAML); default: the T800's");
    command->add_flag("--json", options->json, "print JSON");
    command->footer("Examples:\n  magicwire costs\n  magicwire costs topologies/costs/t800.yaml --json\n");
    command->callback([options, &result] {
        print_costs(options->file, options->json);
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
