#include "runs/phases_run.hpp"

#include <algorithm>
#include <vector>

#include <oracle/phases_result.hpp>
#include <outcome/phases_report.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"

namespace cli {

int run_phases(const scenario::Scenario& scenario, const PhasesRun& run) {
    if (!run.out.empty()) outcome::check_output_place(run.out, run.force);
    oracle::PhasesResult result;
    stop_at_interrupt();
    {
        ProgressLine line(run.progress);
        oracle::run_phases(scenario, result, {.progress = line.callback()});
    }
    int code = result.all_begun() ? exit_code::nothing_found : exit_code::unknown;
    std::vector<outcome::PhaseVerdict> verdicts;
    for (std::size_t i = 0; i < result.phases.size(); ++i) {
        const oracle::PhaseResult& phase = result.phases[i];
        verdicts.emplace_back();
        if (!phase.begun) continue;
        const tmon_detrek::DetrekResult analysis = analysed(scenario.phases[i], phase.result.observed);
        verdicts.back() = {analysis.text, analysis.json};
        code = std::max(code, exit_code_of(phase.result, analysis));
    }
    if (!run.out.empty()) outcome::write_phases(run.out, scenario, result, verdicts, run.manifest, run.force);
    put(run.json ? outcome::phases_json(scenario, result, verdicts, run.manifest)
                 : outcome::phases_text(scenario, result, verdicts, run.manifest, run.totals));
    if (interrupted != 0) return exit_code::interrupted;
    return run.exit_zero ? exit_code::nothing_found : code;
}

}  // namespace cli
