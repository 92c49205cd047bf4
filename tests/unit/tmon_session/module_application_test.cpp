// Farm programs in C: every process has globals of its own.
#include <tmon_session/module_application.hpp>

#include <memory>

#include <gmock/gmock.h>

#include <test_farm.hpp>

namespace {

using testing::HasSubstr;

std::string program(const char* name) {
    return std::string(MAGICWIRE_PROGRAMS "/") + name + ".so";
}

// A C program on a chain of 6, as in the thesis' section 6.2.
class CFarm {
public:
    CFarm(const char* name, std::uint32_t tasks) : application(program(name)), nodes(topologies::chain(6)) {
        const trek_kernel::FarmConfig config{.nodes = 6, .tree = trek_kernel::TreeKind::Chain, .tasks = tasks};
        farm = std::make_unique<trek_kernel::Farm>(
            tmon_session::farm_setup(nodes.box, config, test_support::standard_costs(), application, {&truth}));
        nodes.box.start_at_once();
        tmon_session::start_farm(nodes.box, *farm);
    }
    bool run() {
        return nodes.run_until([this] { return farm->result().finished; });
    }
    const std::string& printed() const { return nodes.printed; }
    instrumentation::Truth truth;
    // Both outlive the nodes: a process that is still inside a function of the module is unwound with them.
    tmon_session::ModuleApplication application;
    std::unique_ptr<trek_kernel::Farm> farm;
    test_support::TestMulticomputer nodes;
};

std::size_t lines_with(const std::string& text, const std::string& words) {
    std::size_t count = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
    return count;
}

}  // namespace

TEST(ModuleApplication, RunsAProgramInC) {
    CFarm farm("image_group", 10);
    ASSERT_TRUE(farm.run());
    EXPECT_EQ(lines_with(farm.printed(), " belongs to: "), 10U);
    EXPECT_EQ(farm.truth.results_at_manager(), 10U);
}

TEST(ModuleApplication, GivesTheMastersProcessesWhatInitMasterLeft) {
    CFarm farm("image_group", 5);
    ASSERT_TRUE(farm.run());
    EXPECT_EQ(lines_with(farm.printed(), " belongs to: "), 5U)
        << "result_receiver() counts to Nsegs, which init_master() has set";
}

TEST(ModuleApplication, KeepsWhatOneProcessSetsFromTheOthers) {
    CFarm farm("image_group_bug", 5);
    ASSERT_TRUE(farm.run()) << "Nsegs is set in data_generator(), so result_receiver() sees 0 and the farm ends";
    EXPECT_EQ(lines_with(farm.printed(), " belongs to: "), 0U);
    EXPECT_LT(farm.truth.results_at_manager(), 5U);
}

TEST(ModuleApplication, StartsEveryNodeWithTheProgramsOwnValues) {
    CFarm farm("image_group", 30);
    ASSERT_TRUE(farm.run());
    // All nodes make their image with the same random numbers: segment s of object o is grouped with the other three, whoever
    // computed it.
    EXPECT_THAT(farm.printed(), HasSubstr("segment 0 belongs to: 0 1 2 3"));
    EXPECT_THAT(farm.printed(), HasSubstr("segment 29 belongs to: 28 29 30 31"));
    std::size_t workers = 0;
    for (const std::uint32_t tasks : farm.farm->result().distribution) workers += tasks > 0 ? 1 : 0;
    EXPECT_GT(workers, 1U);
}

TEST(ModuleApplication, SaysWhatAModuleLacks) {
    try {
        tmon_session::ModuleApplication application("no/such.so");
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& found) {
        EXPECT_THAT(found.what(), HasSubstr("program no/such.so cannot be loaded: "));
    }
}

TEST(ModuleApplication, SaysWhichProgramsThereAre) {
    try {
        tmon_session::find_program("image_grup");
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& found) {
        EXPECT_THAT(found.what(), HasSubstr("there is no program 'image_grup'"));
    }
}
