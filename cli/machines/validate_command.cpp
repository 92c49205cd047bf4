// validate: the model beside published figures.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <validation/validation.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

struct ValidateOptions {
    std::string only;
    std::vector<std::string> set;
    bool json = false;
};

void put(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (!text.empty() && text.back() != '\n') std::fputc('\n', stdout);
}

int validate(const ValidateOptions& options) {
    std::vector<std::pair<std::string, std::string>> settings;
    for (const std::string& text : options.set) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw vocabulary::InputError({"--set " + text, 0, 0}, "expected COST=VALUE, for example --set link.data_packet=12");
        settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    const auto figures = validation::validate(validation::standard_costs_with(settings), options.only);
    put(options.json ? validation::validation_json(figures) : validation::validation_text(figures));
    for (const validation::Figure& figure : figures) {
        if (!figure.good()) return exit_code::self_check;
    }
    return exit_code::nothing_found;
}

}  // namespace

void add_validate(CLI::App& app, int& result) {
    auto options = std::make_shared<ValidateOptions>();
    CLI::App* command = app.add_subcommand(
        "validate", "Compare measured figures of the model with published ones; exit code 5 if one is outside its tolerance");
    command->add_option("--only", options->only, "one figure or one group of them, as --json names them");
    command->add_option("--set", options->set, "COST=VALUE: change a cost ('magicwire costs')")->take_all();
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Examples:\n  magicwire validate\n  magicwire validate --only link_20\n  magicwire validate --set switch.pass=1.9\n");
    command->callback([options, &result] { result = validate(*options); });
}

}  // namespace cli
