// Certainty about loss: the proof, and what becomes of it when runs fail.
#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <new>
#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <instrumentation/buffer_policy.hpp>
#include <instrumentation/unload_policy.hpp>
#include <oracle/session_result.hpp>
#include <schedule/loss_proof.hpp>
#include <schedule/schedule.hpp>

#include "decisions.hpp"
#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using scenario::Scenario;
using scenario::Setting;
using schedule::LossProof;
using schedule::NoLoss;
using session_test::ScenarioFolder;
using session_test::watched;
using testing::HasSubstr;
using vocabulary::NodeId;

bool always(const char*, std::size_t, std::size_t) {
    return true;
}

LossProof proof_of(const Scenario& scenario) {
    return schedule::prove_loss(scenario, 0, [] { return true; });
}

std::string chain(const std::string& farm) {
    return session_test::replaced(watched, "nodes: 8, tree: binary, tasks: 40", farm);
}

const std::string two_nodes = chain("nodes: 2, tree: chain, tasks: 6");
const std::vector<Setting> little_room = {{"monitor.buffer", "1"}};

// Kills its run when a record finds no room beside another, but no more runs than `left_` says.
class Deadly final : public instrumentation::BufferPolicy {
public:
    explicit Deadly(std::atomic<int>& left) : left_(left) {}
    Choice when_full(const trace_record::Event&, const boost::circular_buffer<trace_record::Event>&) override {
        if (left_.fetch_sub(1) > 0) std::raise(SIGKILL);
        return {};
    }

private:
    std::atomic<int>& left_;
};

// One number, shared by all processes of the test.
class Common {
public:
    explicit Common(int value)
        : number_(new (mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                      std::atomic<int>(value)) {}
    ~Common() { munmap(number_, sizeof *number_); }
    Common(const Common&) = delete;
    Common& operator=(const Common&) = delete;
    std::atomic<int>& number() { return *number_; }

private:
    std::atomic<int>* number_;
};

Scenario with_deadly_loss(Scenario scenario, Common& runs) {
    scenario.monitor->buffer_policy = [&runs](NodeId) { return std::make_unique<Deadly>(runs.number()); };
    return scenario;
}

// Decides by a string, over and over; nodes that are to differ begin at different places in it.
class ByString final : public instrumentation::UnloadPolicy {
public:
    ByString(std::string yes_or_no, std::size_t first) : yes_or_no_(std::move(yes_or_no)), at_(first) {}
    bool unload(const instrumentation::BufferState&) override { return next(); }
    std::size_t limit(std::uint64_t, std::size_t room) const override { return next() ? 0 : room; }

private:
    bool next() const { return yes_or_no_[at_++ % yes_or_no_.size()] == '1'; }

    std::string yes_or_no_;
    mutable std::size_t at_;
};

std::uint64_t lost_when_decided_by(const std::string& yes_or_no, Scenario scenario) {
    scenario.monitor->unload_policy = [&](NodeId node) {
        return std::make_unique<ByString>(yes_or_no, std::size_t{node.value()} * 7);
    };
    const auto lost = test_support::in_child([&] {
        oracle::SessionResult result;
        oracle::run_session(scenario, result);
        std::uint64_t dropped = 0;
        for (const auto& node : result.simulated.nodes) dropped += node.ledger.dropped;
        return dropped;
    });
    EXPECT_TRUE(lost.has_value());
    return lost.value_or(0);
}

std::vector<std::string> decision_strings() {
    std::vector<std::string> strings{"0", "1", "01", "10", "001", "110", "0001", "0111"};
    std::mt19937 random(1);
    while (strings.size() < 40) {
        std::string one;
        while (one.size() < 61) one += (random() & 1U) != 0 ? '1' : '0';
        strings.push_back(one);
    }
    return strings;
}

TEST(NoLoss, ProvesNothingWhenItIsInterrupted) {
    const ScenarioFolder folder;
    const auto proof = schedule::prove_loss(folder.read(two_nodes, little_room), 0, [] { return false; });
    EXPECT_EQ(proof.outcome, LossProof::Outcome::Interrupted);
}

// A farm in which nothing is recorded loses nothing, whatever is decided.
TEST(NoLoss, ProvesNothingOfAFarmWithoutRecords) {
    const ScenarioFolder folder;
    auto scenario = folder.read(two_nodes, little_room);
    scenario.monitor->probes_off = true;
    const auto proof = schedule::prove_loss(scenario, 0, [] { return true; });
    EXPECT_EQ(proof.outcome, LossProof::Outcome::WithoutLoss);
    EXPECT_EQ(proof.followed, 0U);
}

// Decisions made without the proof's own bookkeeping: a loss that it calls certain happens with each of them.
TEST(NoLoss, WhatIsCertainHoldsOfAnyDecisions) {
    const ScenarioFolder folder;
    std::size_t certain = 0;
    for (const char* buffer : {"1", "2"}) {
        for (const char* events : {"task", "task+message+process"}) {
            const auto scenario = folder.read(two_nodes, {{"monitor.buffer", buffer}, {"monitor.events", events}});
            if (!proof_of(scenario).every_sequence_loses()) continue;
            ++certain;
            for (const std::string& one : decision_strings())
                EXPECT_GT(lost_when_decided_by(one, scenario), 0U) << one << ", " << buffer << ", " << events;
        }
    }
    EXPECT_GE(certain, 2U);
}

// Every constant sequence loses here, but not everything that managers can decide: the loss is not certain.
TEST(NoLoss, ThatEveryConstantSequenceLosesIsNoProof) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(two_nodes, {{"monitor.buffer", "3"}, {"monitor.events", "task+process"}});
    const NoLoss answer = schedule::compute_no_loss(scenario, 0, always);
    ASSERT_TRUE(answer.excluded);
    EXPECT_TRUE(answer.excluded->all_constant);
    EXPECT_EQ(answer.excluded->tried, 28U + 64U);  // 0 <= lower <= upper <= 6, and those that change
    EXPECT_EQ(answer.excluded->changing, 64U);
    EXPECT_GT(answer.excluded->least_lost, 0U);
    EXPECT_EQ(answer.excluded->proof.outcome, LossProof::Outcome::WithoutLoss);
    EXPECT_THAT(schedule::no_loss_text(answer, ""),
                HasSubstr("Not known whether one exists with monitor.buffer=3: none of all 28 constant sequences"));
}

TEST(NoLoss, AProofThatFailsSaysSoAndWhy) {
    const ScenarioFolder folder;
    Common runs(1'000'000);
    const auto proof = proof_of(with_deadly_loss(folder.read(two_nodes, little_room), runs));
    EXPECT_EQ(proof.outcome, LossProof::Outcome::Failed);
    EXPECT_THAT(proof.failure, HasSubstr("signal 9 (Killed)"));
}

TEST(NoLoss, ThereIsAReasonForEveryProofThatIsNone) {
    NoLoss answer;
    answer.series.trials.emplace_back();
    answer.least_lossy = 0;
    answer.excluded.emplace();
    const auto said = [&](LossProof::Outcome outcome) {
        answer.excluded->proof = {.outcome = outcome, .failure = "no memory", .followed = 7};
        const auto json = nlohmann::json::parse(schedule::no_loss_json(answer, ""))["excluded"];
        return json["proof"].get<std::string>() + "/" + json["sure"].get<std::string>();
    };
    const auto text = [&] { return schedule::no_loss_text(answer, ""); };
    EXPECT_EQ(said(LossProof::Outcome::TooManyWays), "too many ways/unknown");
    EXPECT_THAT(text(), HasSubstr("No proof that none exists: there are more than 2000 paths of decisions to a first loss.\n"));
    EXPECT_EQ(said(LossProof::Outcome::TooLong), "a way too long/unknown");
    EXPECT_THAT(text(), HasSubstr("has more than 32 decisions before its first loss.\n"));
    EXPECT_EQ(said(LossProof::Outcome::WithoutLoss), "a way without loss/unknown");
    EXPECT_THAT(text(), HasSubstr("No proof that none exists: some decisions lose nothing"));
    EXPECT_EQ(said(LossProof::Outcome::Failed), "failed/unknown");
    EXPECT_THAT(text(), HasSubstr("No proof that none exists: the proof failed: no memory.\n"));
    EXPECT_EQ(said(LossProof::Outcome::Interrupted), "interrupted/unknown");
    EXPECT_THAT(text(), HasSubstr("No proof that none exists: the proof was interrupted.\n"));
    EXPECT_EQ(said(LossProof::Outcome::Proven), "proven/certain");
    EXPECT_THAT(text(), HasSubstr("Certain: none exists with monitor.buffer=0."));
}

TEST(NoLoss, OfASequenceWhoseRunFailedNothingIsSaid) {
    const ScenarioFolder folder;
    Common runs(1);
    const NoLoss answer = schedule::compute_no_loss(with_deadly_loss(folder.read(two_nodes, little_room), runs), 0, always);
    ASSERT_TRUE(answer.excluded);
    EXPECT_EQ(answer.excluded->tried - answer.excluded->changing, 5U);  // of 6
    EXPECT_EQ(answer.excluded->failed, 1U);
    EXPECT_EQ(answer.excluded->first_failure, "signal 9 (Killed)");
    EXPECT_FALSE(answer.excluded->all_constant);
    const std::string text = schedule::no_loss_text(answer, "");
    EXPECT_THAT(text, HasSubstr("  tried        " + std::to_string(answer.excluded->tried) + " sequences, "));
    EXPECT_THAT(text, HasSubstr("  failed       1 runs, so nothing is known about their sequences. The first, "));
    EXPECT_THAT(text, HasSubstr("signal 9 (Killed)"));
    EXPECT_EQ(nlohmann::json::parse(schedule::no_loss_json(answer, ""))["excluded"]["first_failure"], "signal 9 (Killed)");
}

TEST(NoLoss, WithoutARunThatSucceededNothingIsConcluded) {
    const ScenarioFolder folder;
    Common runs(1'000'000);
    const NoLoss answer = schedule::compute_no_loss(with_deadly_loss(folder.read(two_nodes, little_room), runs), 0, always);
    EXPECT_FALSE(answer.excluded);
    EXPECT_FALSE(answer.least_exposed);
    const std::string text = schedule::no_loss_text(answer, "");
    EXPECT_THAT(
        text, HasSubstr("  failed       6 runs, so nothing is known about their sequences. The first, 0/0: signal 9 (Killed)"));
    EXPECT_THAT(text, HasSubstr("not known; no sequence could be run, see 'failed' above"));
    EXPECT_THAT(text, testing::Not(HasSubstr("Not known whether one exists")));
}

// With one record each run loses and lives. From then on a run that loses dies, so whether such a size is enough is not known.
TEST(NoLoss, ASizeWhoseRunsFailIsNotTooSmall) {
    const ScenarioFolder folder;
    Common runs(0);
    const auto scenario = with_deadly_loss(folder.read(watched, little_room), runs);
    const NoLoss answer = schedule::compute_no_loss(scenario, 0, [&](const char* step, std::size_t, std::size_t) {
        if (std::string(step) == "buffers") runs.number() = 1'000'000;
        return true;
    });
    EXPECT_FALSE(answer.least_buffer);
    EXPECT_EQ(answer.largest_tried, 0U);
    ASSERT_TRUE(answer.unknown);
    EXPECT_EQ(answer.unknown->buffer, 2U);
    EXPECT_EQ(answer.unknown->failure, "signal 9 (Killed)");
    EXPECT_THAT(
        schedule::no_loss_text(answer, ""),
        HasSubstr("  No larger buffer is known to help.\n  The search ended at monitor.buffer=2, whose result is not known, "
                  "since a run failed: signal 9 (Killed)\n"));
    EXPECT_EQ(nlohmann::json::parse(schedule::no_loss_json(answer, ""))["search_ended_at"]["buffer_records"], 2);
}

TEST(NoLoss, OfBuffersWithoutRoomNothingIsRecommended) {
    const ScenarioFolder folder;
    scenario::Scenario without = folder.read(two_nodes);
    without.costs.set("monitor.buffer", 0, "the test");  // refused in a file and on the command line
    const NoLoss answer = schedule::compute_no_loss(without, 0, always);
    ASSERT_TRUE(answer.least_lossy && answer.excluded);
    const auto& lossy = answer.series.trials[*answer.least_lossy].exposure;
    EXPECT_GT(lossy.made, 0U);
    EXPECT_EQ(lossy.lost, lossy.made);
    EXPECT_FALSE(answer.least_exposed);
    EXPECT_TRUE(answer.excluded->proof.every_sequence_loses());
    const std::string text = schedule::no_loss_text(answer, "");
    EXPECT_THAT(text, HasSubstr("least exposed  none: every tried sequence loses all its records for want of room"));
    EXPECT_THAT(text, testing::Not(HasSubstr("no record was made")));
    EXPECT_EQ(nlohmann::json::parse(schedule::no_loss_json(answer, ""))["least_exposed"], nullptr);
}

TEST(NoLossDeathTest, IsProvenOfAScenarioWithAMonitor) {
    const ScenarioFolder folder;
    EXPECT_DEATH(proof_of(folder.read(session_test::plain)), "loss_proof.monitor");
}

TEST(NoLossDeathTest, AWayBeginsBeforeTheFirstDecisionAndTheFirstLoss) {
    schedule::Decisions decided, lost;
    decided.next();
    lost.made(NodeId(0), trace_record::EventClass::Task, vocabulary::SimTime(), true);
    EXPECT_DEATH(decided.prescribe({}), "loss_proof.beginning");
    EXPECT_DEATH(lost.prescribe({}), "loss_proof.beginning");
}

}  // namespace
