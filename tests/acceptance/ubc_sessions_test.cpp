// The sessions of the thesis on its machine of 75 nodes, through crossbars that the host has programmed.
// thesis_sessions_test.cpp checks what they find.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <oracle/session_result.hpp>
#include <oracle/truth_judge.hpp>
#include <scenario/scenario.hpp>
#include <tmon_detrek/detrek.hpp>
#include <topologies/network.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace {

using testing::IsEmpty;

struct UbcSession {
    scenario::Scenario scenario;
    oracle::SessionResult result;
    // Read from the machine at its end.
    hw_model::ProgrammedSwitches programmed;
    std::size_t nodes = 0, switches = 0, booted = 0;
    std::string failure;

    explicit UbcSession(const std::string& name, const std::vector<scenario::Setting>& settings = {})
        : scenario(scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/thesis/" + name + ".yaml", settings, {})) {
        trollius_hosted::Multicomputer* box = nullptr;
        const auto look = [&](const session::Progress&) {
            programmed = box->programmed();
            booted = box->booted_nodes();
            failure = box->failure();
            return true;
        };
        const auto prepare = [&](trollius_hosted::Multicomputer& machine) {
            box = &machine;
            nodes = machine.node_count();
            switches = machine.machine().switch_count();
        };
        oracle::run_session(scenario, result, {.progress = look, .prepare = prepare});
    }
};

class UbcSessions : public testing::TestWithParam<const char*> {};

}  // namespace

TEST_P(UbcSessions, BootTheFarmThroughProgrammedCrossbarsAndLeaveTheOtherNodesAlone) {
    const UbcSession session(GetParam());
    EXPECT_EQ(session.nodes, 75U);
    EXPECT_EQ(session.switches, 10U);
    EXPECT_THAT(session.failure, IsEmpty());
    EXPECT_THAT(session.programmed.differences, IsEmpty());
    EXPECT_GT(session.programmed.bytes, 10U * (2 + 64)) << "ten switches reset, set and read back";
    EXPECT_EQ(session.booted, session.scenario.farm.nodes + 1) << "the farm's nodes and the host";
}

TEST_P(UbcSessions, AreSureOnlyOfWhatTheOracleConfirms) {
    const UbcSession session(GetParam());
    ASSERT_TRUE(session.result.simulated.counts.began > vocabulary::SimTime()) << session.result.observed.diagnosis;
    if (!session.result.observed.trace) return;
    const auto found = tmon_detrek::analyse(*session.result.observed.trace, session.scenario.farm);
    if (found.verdict.kind != tmon_detrek::VerdictKind::Certain) return;
    EXPECT_THAT(oracle::contradicted(found.rows, oracle::true_fault_list(session.scenario, session.result)), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, UbcSessions,
                         testing::Values("ubc_dc8", "ubc_dc16_late", "ubc_dc16_good", "ubc_chain6", "ubc_chain6_bug"));
