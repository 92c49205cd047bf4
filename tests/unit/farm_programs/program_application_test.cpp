// Farm programs as the application of a modelled farm.
#include <farm_programs/program_application.hpp>

#include <array>
#include <memory>

#include <gmock/gmock.h>

#include <child_process.hpp>
#include <session/applications.hpp>
#include <test_farm.hpp>

namespace {

using farm_programs::Function;
using testing::AllOf;
using testing::HasSubstr;
using user_programs::CostSource;

std::string example(const char* name) {
    return std::string(MAGICWIRE_PROGRAMS "/") + name + ".so";
}
std::string program(const char* name) {
    return std::string(MAGICWIRE_TEST_PROGRAMS "/") + name + ".so";
}

class ProgramFarm {
public:
    ProgramFarm(const std::string& path, const farm_spec::FarmSpec& config, CostSource source = CostSource::Explicit)
        : application(path, user_programs::program_costs(test_support::standard_costs(), source), config.divides(), report),
          nodes(test_support::machine_of(config.tree, config.nodes)) {
        farm = std::make_unique<trek_kernel::Farm>(
            trek_hosted::farm_setup(nodes.box, config, test_support::standard_costs(), application, {&truth}));
        nodes.box.start_at_once();
        nodes.box.host_services().save = [this](const std::string& name, trek_kernel::Bytes content) {
            files.emplace_back(name, std::move(content));
        };
        trek_hosted::start_farm(nodes.box, *farm);
    }
    bool run(vocabulary::SimTime limit = vocabulary::SimTime::s(100)) {
        return nodes.run_until([this] { return farm->result().finished; }, limit, vocabulary::SimTime::ms(10));
    }
    const std::string& printed() const { return nodes.printed; }
    std::string said() const { return report.diagnoses.empty() ? "" : user_programs::text_of(report.diagnoses.all().front()); }

    ground_truth::Truth truth;
    farm_programs::ProgramReport report;
    std::vector<std::pair<std::string, trek_kernel::Bytes>> files;  // that the host received
    // Both outlive the nodes: a process still inside a function of the program is taken away with the nodes.
    farm_programs::ProgramApplication application;
    std::unique_ptr<trek_kernel::Farm> farm;
    test_support::TestMulticomputer nodes;
};

farm_spec::FarmSpec chain(std::uint32_t tasks) {
    return {.nodes = 6, .tree = farm_spec::TreeKind::Chain, .tasks = tasks};
}

std::size_t lines_with(const std::string& text, const std::string& words) {
    std::size_t count = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
    return count;
}

}  // namespace

TEST(ProgramApplication, RunsAProgramInC) {
    ProgramFarm farm(example("image_group"), chain(10));
    ASSERT_TRUE(farm.run());
    EXPECT_EQ(lines_with(farm.printed(), " belongs to: "), 10U)
        << "result_receiver() counts to Nsegs, which init_master() has set";
    EXPECT_EQ(farm.truth.results_at_manager(), 10U);
    EXPECT_TRUE(farm.report.diagnoses.empty());
}

TEST(ProgramApplication, RunsAProgramAsTheThesisWritesIt) {
    ProgramFarm farm(program("thesis"), chain(10));
    ASSERT_TRUE(farm.run());
    EXPECT_THAT(farm.printed(), testing::StartsWith("sum 90, 4 bytes\n"));
    EXPECT_TRUE(farm.report.diagnoses.empty());
}

TEST(ProgramApplication, KeepsWhatOneProcessSetsFromTheOthers) {
    ProgramFarm farm(example("image_group_bug"), chain(5));
    ASSERT_TRUE(farm.run()) << "Nsegs is set in data_generator(), so result_receiver() sees 0 and the farm ends";
    EXPECT_EQ(lines_with(farm.printed(), " belongs to: "), 0U);
    EXPECT_LT(farm.truth.results_at_manager(), 5U);
}

TEST(ProgramApplication, StartsEveryNodeWithTheProgramsOwnValues) {
    ProgramFarm farm(example("image_group"), chain(30));
    ASSERT_TRUE(farm.run());
    // All nodes make their image with the same random numbers: segment s of object o is grouped with the other three, whoever
    // computed it.
    EXPECT_THAT(farm.printed(), HasSubstr("segment 0 belongs to: 0 1 2 3"));
    EXPECT_THAT(farm.printed(), HasSubstr("segment 29 belongs to: 28 29 30 31"));
    std::size_t workers = 0;
    for (const std::uint32_t tasks : farm.farm->result().distribution) workers += tasks > 0 ? 1 : 0;
    EXPECT_GT(workers, 1U);
}

TEST(ProgramApplication, RunsAProgramInCxx) {
    ProgramFarm farm(program("library"), chain(3));
    ASSERT_TRUE(farm.run());
    EXPECT_THAT(farm.printed(), AllOf(HasSubstr("generator has 4 numbers\n"), HasSubstr("receiver has 4 numbers\n"),
                                      HasSubstr("0: 0dorw\n"), HasSubstr("1:  1acdghortuw\n")));
    ASSERT_EQ(farm.files.size(), 1U);
    EXPECT_EQ(farm.files[0].first, "numbers.txt");
    EXPECT_EQ(farm.files[0].second.size(), 3U);
    EXPECT_THAT(farm.report.silent(), testing::ElementsAre("compute_fn"));
}

TEST(ProgramApplication, DividesAndConquers) {
    ProgramFarm farm(program("divide"),
                     {.nodes = 7, .tree = farm_spec::TreeKind::Binary, .tasks = 20, .degree = 2, .depth = 2});
    ASSERT_TRUE(farm.run());
    EXPECT_THAT(farm.printed(), HasSubstr("total 199990000, splits seen here 0, joins 0"));
    EXPECT_GT(farm.report.charged[static_cast<std::size_t>(Function::Split)].calls, 0U);
    EXPECT_EQ(farm.report.charged[static_cast<std::size_t>(Function::Split)].calls,
              farm.report.charged[static_cast<std::size_t>(Function::Join)].calls);
}

TEST(ProgramApplication, AWorkerThatFollowsAForeignPointerCrashesItsNodeOnly) {
    ProgramFarm farm(program("wrong_task"), chain(2));
    EXPECT_FALSE(farm.run(vocabulary::SimTime::s(5))) << "the task never comes back";
    EXPECT_TRUE(farm.nodes.box.machine().node(vocabulary::NodeId(1)).processor.crashed());
    EXPECT_FALSE(farm.nodes.box.machine().node(vocabulary::NodeId(0)).processor.crashed());
    ASSERT_EQ(farm.report.diagnoses.all().size(), 2U);
    EXPECT_THAT(user_programs::text_of(farm.report.diagnoses.all()[0]),
                HasSubstr("at byte 8 of 16 is an address of n0's heap"));
    EXPECT_THAT(user_programs::text_of(farm.report.diagnoses.all()[1]),
                AllOf(HasSubstr("wrong.c:"), HasSubstr("compute_fn() of task 0 on n1 reads memory of n0")));
}

TEST(ProgramApplication, AnEndlessLoopOfAnEstimateUsesModelledTime) {
    ProgramFarm farm(program("endless_task"), chain(1), CostSource::Estimated);
    EXPECT_FALSE(farm.run(vocabulary::SimTime::s(2)));
    const auto& worker = farm.nodes.box.machine().node(vocabulary::NodeId(1)).processor;
    EXPECT_FALSE(worker.crashed());
    EXPECT_GT(worker.totals().low_busy, vocabulary::SimTime::ms(1900));
    EXPECT_GT(farm.report.charged[static_cast<std::size_t>(Function::Compute)].cycles.count(), 1'900 * 20'000);
}

TEST(ProgramApplication, MakesTheSameRunEveryTimeWhateverItsCosts) {
    for (const CostSource source : {CostSource::Explicit, CostSource::Estimated}) {
        const auto hash = [source] {
            ProgramFarm farm(program("library"), chain(3), source);
            farm.run();
            std::array<char, 16> digits{};
            farm.truth.run_hash().copy(digits.data(), digits.size());
            return digits;
        };
        const auto first = test_support::in_child(hash), second = test_support::in_child(hash);
        ASSERT_TRUE(first && second);
        EXPECT_EQ(*first, *second);
    }
}

TEST(ProgramApplication, AFarmThatDividesNeedsSplitAndJoin) {
    farm_programs::ProgramReport report;
    try {
        const farm_programs::ProgramApplication application(example("image_group"), {}, true, report);
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& found) {
        EXPECT_THAT(
            found.what(),
            HasSubstr("has no split_fn(), which a farm that divides its tasks needs; write it, or set farm.degree to 1"));
    }
}

TEST(FindProgram, SaysWhichProgramsThereAre) {
    try {
        session::find_program("image_grup");
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& found) {
        EXPECT_THAT(found.what(), HasSubstr("there is no program 'image_grup'"));
    }
}
