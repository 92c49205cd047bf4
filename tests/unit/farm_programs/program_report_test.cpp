// A farm program in a scenario, and in a run's report.
#include <gmock/gmock.h>
#include <oracle/session_result.hpp>

#include <nlohmann/json.hpp>

#include <outcome/outputs.hpp>
#include <scenario_folder.hpp>

namespace {

using farm_programs::Function;
using session_test::plain;
using session_test::replaced;
using session_test::ScenarioFolder;
using testing::HasSubstr;
using testing::Not;
using user_programs::CostSource;

std::string with_program(const std::string& more) {
    return replaced(plain, "tasks: plain.dat", "program: image_group" + more);
}

class ProgramReport : public testing::Test {
protected:
    ProgramReport() {
        result.simulated.program.program = "wrong.so";
        result.simulated.program.charged[static_cast<std::size_t>(Function::Compute)] = {
            .calls = 7, .silent_calls = 7, .cycles = {}};
        result.simulated.program.diagnoses.add({.problem = user_programs::Problem::FreedTwice,
                                                .node = vocabulary::NodeId(2),
                                                .function = "compute_fn",
                                                .task = user_programs::TaskNumber{5, 0x100},
                                                .where = "wrong.c:3",
                                                .what = "frees a block of memory that it has freed before",
                                                .advice = "let one place own the block"});
        result.simulated.program.diagnoses.add(result.simulated.program.diagnoses.all()[0]);
        result.observed.files.emplace_back("picture.ppm", trek_kernel::Bytes(12));
        scenario.program = "wrong";
    }
    std::string text() const { return outcome::summary_text(scenario, result, {}, outcome::Totals::None); }
    nlohmann::json json() const { return nlohmann::json::parse(outcome::summary_json(scenario, result, {}, ""))["program"]; }

    ScenarioFolder folder;
    scenario::Scenario scenario = folder.read(plain);
    oracle::SessionResult result;
};

}  // namespace

TEST_F(ProgramReport, SaysWhichCostsWereTakenAndWhatWasCharged) {
    EXPECT_THAT(text(), HasSubstr("  costs        as the program says (work_us and the like)\n"));
    EXPECT_THAT(text(), HasSubstr("compute_fn              7 calls                0 cycles\n"));
    result.simulated.program.costs = CostSource::Estimated;
    EXPECT_THAT(text(), HasSubstr("estimated from the basic blocks that ran; an estimate, see docs/model/program_costs.md"));
    EXPECT_EQ(json()["costs"], "estimated");
    EXPECT_EQ(json()["estimate"], true);
    EXPECT_EQ(json()["functions"][0]["calls"], 7);
}

TEST_F(ProgramReport, WarnsOfAFunctionThatChargesNothing) {
    EXPECT_THAT(
        text(),
        HasSubstr("  warning      compute_fn() charges nothing: no call of work_us() or the like; take `costs: estimated`, "
                  "or say what it costs\n"));
    result.simulated.program.costs = CostSource::Estimated;
    EXPECT_THAT(text(), Not(HasSubstr("charges nothing")));
}

TEST_F(ProgramReport, TellsADiagnosisOnceWithItsCount) {
    EXPECT_THAT(
        text(),
        HasSubstr("  program      wrong.c:3: compute_fn() of task 5, sub-task 0100, on n2 frees a block of memory that it has "
                  "freed before; let one place own the block (2 times)\n"));
    const nlohmann::json diagnosis = json()["diagnoses"][0];
    EXPECT_EQ(diagnosis["problem"], "freed-twice");
    EXPECT_EQ(diagnosis["node"], 2);
    EXPECT_EQ(diagnosis["task"], 5);
    EXPECT_EQ(diagnosis["times"], 2);
    EXPECT_TRUE(result.simulated.program.found());
}

TEST_F(ProgramReport, PutsWhatWasSavedIntoTheFolderOfTheRun) {
    outcome::write_outputs(folder.file("out"), scenario, result, {}, "", false);
    EXPECT_EQ(std::filesystem::file_size(folder.file("out/files/picture.ppm")), 12U);
    EXPECT_THAT(text(), HasSubstr("  saved        picture.ppm, 12 bytes\n"));
}

TEST_F(ProgramReport, TellsAFileWhoseNameWasDamagedAndDoesNotWriteIt) {
    result.observed.files.emplace_back("../x\xff", trek_kernel::Bytes(3));
    outcome::write_outputs(folder.file("out"), scenario, result, {}, "", false);
    EXPECT_TRUE(std::filesystem::exists(folder.file("out/files/picture.ppm")));
    EXPECT_FALSE(std::filesystem::exists(folder.file("out/x\xff")));
    EXPECT_THAT(text(), HasSubstr("  refused      '../x?', 3 bytes: not written, since this is no plain file name\n"));
    EXPECT_EQ(json()["files"][1]["refused"], true);
}

TEST(ScenarioOfAProgram, NamesCostsAndInput) {
    const ScenarioFolder folder;
    folder.write("in.txt", "1 2 3\n");
    folder.write("x.costs", "* 3ms\n");
    const auto estimated = folder.read(with_program(", costs: estimated, input: in.txt"));
    EXPECT_EQ(estimated.program_settings.costs, CostSource::Estimated);
    EXPECT_EQ(estimated.program_settings.input, "1 2 3\n");
    const auto fixed = folder.read(with_program(", costs: x.costs"));
    EXPECT_EQ(fixed.program_settings.costs, CostSource::Fixed);
    EXPECT_EQ(fixed.program_settings.times.of(7), vocabulary::SimTime::ms(3));
    EXPECT_EQ(folder.read(with_program("")).program_settings.costs, CostSource::Explicit);
}

TEST(ScenarioOfAProgram, SaysThatTheSimulatedApplicationHasNoCosts) {
    const ScenarioFolder folder;
    EXPECT_THAT(folder.error(replaced(plain, "tasks: plain.dat", "tasks: plain.dat, costs: estimated")),
                HasSubstr("'costs' is only for a farm program, not for the simulated application; leave it out"));
}
