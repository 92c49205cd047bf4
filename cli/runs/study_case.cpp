#include "runs/study_case.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "frame/command.hpp"
#include "runs/study_point.hpp"

namespace cli {

bool uses_folders(const sweeps::Study& study) {
    return study.maker || !study.commands.empty();
}

sweeps::CommandEnd run_for(const sweeps::Study& study, const sweeps::Command& command, const sweeps::Point& point,
                           const std::string& out, sweeps::CommandServers* servers, sweeps::PointRow& row) {
    const double left = study.seconds - processor_seconds() - row.processor_seconds;
    const std::vector<std::string> words = sweeps::words_of(command, point, out);
    sweeps::CommandEnd end;
    if (servers != nullptr && servers->serves(command)) {
        double used = 0;
        end = servers->ask(command, words, left, used);
        row.processor_seconds += used;
    } else {
        end = sweeps::run_command(command, words, "/proc/self/exe", left);
    }
    if (!end.failure.empty()) {
        const bool by_host = end.why == sweeps::CommandEnd::Why::Host;
        row.exit_code = by_host ? exit_code::host : end.exit_code == 0 ? exit_code::bad_input : end.exit_code;
        row.failure = end.failure;
    }
    return end;
}

Case make_case(const sweeps::Study& study, const sweeps::Point& point, const PointFolder& folder,
               sweeps::CommandServers* servers, sweeps::PointRow& row) {
    Case made{point, {}};
    if (!sweeps::has_folder(study)) return made;
    made.point.folder = folder.in(point.folder);
    std::filesystem::create_directory(made.point.folder);
    if (!study.maker) return made;
    made.point.scenario = folder.in(point.scenario);
    made.printed = run_for(study, study.maker->command, made.point, {}, servers, row).document;
    if (row.failure.empty() && !std::filesystem::is_regular_file(made.point.scenario)) {
        row.exit_code = exit_code::bad_input;
        row.failure = fmt::format("the command '{}' wrote no '{}' into its folder; that is the scenario, as 'file' says",
                                  study.maker->command.name, study.maker->file);
    }
    return made;
}

}  // namespace cli
