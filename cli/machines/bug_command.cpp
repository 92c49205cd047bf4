// bugs: the kinds of bugs that can be planted, or what a bug list says.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trek_kernel/bug_list.hpp>

#include "frame/command.hpp"

#ifdef MAGICWIRE_SIMULATION
#include <scenario/bug_list_file.hpp>
#endif

namespace cli {
namespace {

using trek_kernel::BugInfo;
using trek_kernel::PlannedBug;
using trek_kernel::UserProcess;

std::string kinds_json() {
    nlohmann::ordered_json out = {{"schema", "magicwire.bugs/1"}};
    for (const BugInfo& info : trek_kernel::bug_kinds()) {
        nlohmann::ordered_json line = {
            {"id", info.id()}, {"name", info.name}, {"class", class_name(info.of)}, {"effect", info.effect}};
        for (const UserProcess process : trek_kernel::user_processes) {
            if (info.possible(process)) line["processes"][word_of(process)] = info.at[static_cast<std::size_t>(process)];
        }
        if (info.key != nullptr)
            line["parameter"] = {{"key", info.key}, {"required", info.key_required}, {"values", info.key_values}};
        line["in_dat_file"] = info.id() == 0 || info.in_dat_file();
        if (info.id() != 0) {
            line["seen"] = info.seen;
            line["example"] = info.example;
        }
        out["bugs"].push_back(std::move(line));
    }
    return out.dump(2);
}

std::string kind_text(const BugInfo& info) {
    std::string text = fmt::format("\n  {:<2} {:<15} {}{}\n{}\n", info.id(), info.name, class_name(info.of),
                                   info.in_dat_file() ? "" : "; in a bug list only", folded(info.effect));
    for (const UserProcess process : trek_kernel::user_processes) {
        if (info.possible(process))
            text += fmt::format("      {:<13} {}\n", word_of(process), info.at[static_cast<std::size_t>(process)]);
    }
    if (info.key != nullptr)
        text += fmt::format("    {}: {}{}\n", info.key, info.key_values, info.key_required ? "" : " (optional)");
    text += folded(fmt::format("Seen in messages: {}", info.seen)) + "\n";
    return text + fmt::format("    - {{{}}}\n", info.example);
}

std::string kinds_text() {
    std::string text =
        "Bugs that can be planted in the tasks of any program, in the order of their ids: by a bug list "
        "(docs/formats/bug_list.md) or,\n"
        "for the simulated application, by the third number of a block of its .dat file. The classes are those of Lin 1993, "
        "3.4.1.\n";
    for (const BugInfo& info : trek_kernel::bug_kinds().subspan(1)) text += kind_text(info);
    return text +
           "\nEvery entry of a list has kind, process and task (49, 10-19, a list of these, or any; not for never-started), "
           "and may have\n"
           "subtask: 0110, node: n5, occurrence: 2 (only the second time) and probability: 0.1 (decided by the scenario's "
           "seed).\n"
           "A run takes a list with 'application: {bugs: FILE}' in its scenario, or with --bugs FILE. In a .dat file: task 49 "
           "crashes the\n"
           "node that computes it\n  49  20 10 0  140 1000 4  10 10 0  100 10 0  100 10 0\n";
}

#ifdef MAGICWIRE_SIMULATION
std::string list_text(const std::vector<PlannedBug>& bugs) {
    std::string text = fmt::format("{} bug{}\n", bugs.size(), bugs.size() == 1 ? "" : "s");
    std::size_t number = 0;
    for (const PlannedBug& bug : bugs) {
        const BugInfo& info = info_of(bug.bug);
        text += fmt::format("  {:>3} {}: {}\n", ++number, bug_text(bug), info.at[static_cast<std::size_t>(bug.process)]);
    }
    return text;
}

std::string list_json(const std::vector<PlannedBug>& bugs) {
    nlohmann::ordered_json out = {{"schema", "magicwire.bug_list/1"}, {"bugs", nlohmann::ordered_json::array()}};
    for (const PlannedBug& bug : bugs) {
        const BugInfo& info = info_of(bug.bug);
        out["bugs"].push_back({{"kind", info.name},
                               {"class", class_name(info.of)},
                               {"bug", bug_text(bug)},
                               {"meaning", info.at[static_cast<std::size_t>(bug.process)]},
                               {"seen", info.seen}});
    }
    return out.dump(2) + "\n";
}
#endif

}  // namespace

void add_bugs(CLI::App& app, int& result) {
    struct Options {
        std::string list, scenario;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "bugs", "Explain the bugs that can be planted in tasks, or check a bug list and describe it in words");
#ifdef MAGICWIRE_SIMULATION
    CLI::Option* list = command->add_option("FILE", options->list, "bug list (YAML) to check");
    command
        ->add_option("--scenario", options->scenario,
                     "scenario that the list is for: tasks, nodes and processes of its farm are checked too")
        ->needs(list);
    command->footer(
        "Examples:\n  magicwire bugs\n  magicwire bugs examples/bugs/crash.bugs --scenario examples/thesis/dc8.yaml\n");
#endif
    command->add_flag("--json", options->json, "print JSON");
    command->callback([options, &result] {
        std::string text = options->json ? kinds_json() + "\n" : kinds_text();
#ifdef MAGICWIRE_SIMULATION
        if (!options->list.empty()) {
            const auto bugs = options->scenario.empty()
                                  ? scenario::read_bug_list(options->list)
                                  : scenario::read_scenario(options->scenario, {}, std::nullopt, {}, options->list).bugs;
            text = options->json ? list_json(bugs) : list_text(bugs);
        }
#endif
        std::fwrite(text.data(), 1, text.size(), stdout);
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
