// Acts that a library tells while it works for a call: the data that it moved, and its answers.
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <flowback_log/log_file.hpp>
#include <flowback_log/reader.hpp>
#include <flowback_log/recorder.hpp>

namespace {

using flowback_log::ActKind;
using flowback_log::Effect;
using flowback_log::Entry;
using flowback_log::Kind;
using flowback_log::Range;
using flowback_log::Recorder;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t no_globals[] = {1, 0};

class FlowbackActs : public testing::Test {
protected:
    FlowbackActs() : place(std::filesystem::temp_directory_path() / ("flowback_acts_" + std::to_string(getpid()))) {
        sink.emplace(place.string());
        log.emplace(*sink, Recorder::Process{.name = "n1.p7", .like = "", .program = "abc", .shared = {0, 0}});
        log->enter(5, no_globals, nullptr, 0);
    }
    ~FlowbackActs() override { std::filesystem::remove(place); }

    struct File final : flowback_log::ChunkSink {
        explicit File(const std::string& path) : file(path) {}
        void put(std::uint64_t number, std::vector<std::byte> chunk) override { file.put(number, std::move(chunk)); }
        flowback_log::LogFile file;
    };
    // Those of one kind; the log ends.
    std::vector<Entry> entries(Kind kind) {
        log->finish();
        log.reset();
        sink.reset();
        read_back = flowback_log::Log::read(place.string());
        std::vector<Entry> all;
        std::uint64_t offset = 0;
        while (auto entry = read_back.next(offset)) {
            if (entry->kind == kind) all.push_back(*entry);
        }
        return all;
    }
    static std::uint64_t address(const void* its) { return reinterpret_cast<std::uintptr_t>(its); }
    void call(Effect effect, int result) { log->call(9, 0, effect, &result, sizeof result, 0, 0); }

    std::filesystem::path place;
    std::optional<File> sink;
    std::optional<Recorder> log;
    flowback_log::Log read_back;
    int value = 42, other = 7;
};

TEST_F(FlowbackActs, KeepPiecesInTheOrderOfTheirData) {
    const Range from[] = {{5000, 4}, {4000, 8}, {4008, 2}}, to[] = {{address(&value), 4}};
    log->act(
        {.kind = ActKind::Combined, .peer = 3, .flow = 70000, .tag = 8, .context = 5, .operation = 2, .from = from, .to = to});
    const auto acts = entries(Kind::Act);
    ASSERT_EQ(acts.size(), 1U);
    const Entry& act = acts.front();
    EXPECT_EQ(act.act, ActKind::Combined);
    EXPECT_THAT((std::vector<std::uint32_t>{act.peer, act.flow, act.tag, act.context, act.operation}),
                ElementsAre(3, 70000, 8, 5, 2));
    EXPECT_THAT(act.from, ElementsAre(Range{5000, 4}, Range{4000, 8}, Range{4008, 2}));
    EXPECT_THAT(act.to, ElementsAre(Range{address(&value), 4}));
}

TEST_F(FlowbackActs, MemoryThatTheyWriteIsReadAnew) {
    log->read(address(&value), sizeof value);
    const Range to[] = {{address(&value), sizeof value}};
    log->act({.kind = ActKind::Received, .to = to});
    call(Effect::Told, 0);
    log->read(address(&value), sizeof value);
    log->read(address(&value), sizeof value);
    log->leave(1, nullptr, 0);
    EXPECT_EQ(entries(Kind::Read).size(), 2U);
}

TEST_F(FlowbackActs, AnswersBelongToTheCallThatGaveThem) {
    const char text[] = "n3";
    log->output(address(&value), sizeof value);
    log->output(address(text), flowback_log::Access::text);
    log->output(1, 24);  // MPI_STATUS_IGNORE
    log->output(0, 4);
    log->enter(6, no_globals, nullptr, 0);  // the library calls a function of the program
    log->output(address(&other), sizeof other);
    call(Effect::Told, 0);
    log->leave(2, nullptr, 0);
    call(Effect::Told, 0);
    const auto calls = entries(Kind::Call);
    ASSERT_EQ(calls.size(), 2U);
    ASSERT_EQ(calls[0].written.size(), 1U);
    EXPECT_EQ(calls[0].written[0].address, address(&other));
    ASSERT_EQ(calls[1].written.size(), 2U);
    EXPECT_EQ(calls[1].written[0].address, address(&value));
    EXPECT_EQ(calls[1].written[1].bytes.size(), sizeof text);
}

TEST_F(FlowbackActs, ACallThatFailsHasUnknownEffects) {
    log->read(address(&other), sizeof other);
    log->output(address(&value), sizeof value);
    call(Effect::Told, 15);
    log->read(address(&other), sizeof other);
    log->leave(1, nullptr, 0);
    const auto calls = entries(Kind::Call);
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(static_cast<Effect>(calls[0].effect), Effect::Unknown);
    EXPECT_THAT(calls[0].written, IsEmpty());
}

TEST_F(FlowbackActs, AFunctionOfTheProgramTellsItself) {
    const Range to[] = {{address(&value), sizeof value}};
    for (const bool prepared : {true, false}) {
        log->act({.kind = ActKind::Function});
        if (prepared) {
            log->enter(6, no_globals, nullptr, 0);
            log->leave(2, nullptr, 0);
        }
        log->act({.kind = ActKind::Combined, .peer = prepared ? 1U : 2U, .to = to});
    }
    const auto acts = entries(Kind::Act);
    ASSERT_EQ(acts.size(), 1U);
    EXPECT_EQ(acts.front().peer, 2U);
}

TEST(FlowbackLibraryCalls, KnowWhatIsWritten) {
    EXPECT_EQ(flowback_log::effect_of("MPI_Recv"), Effect::Told);
    EXPECT_EQ(flowback_log::effect_of("PMPI_Recv"), Effect::Told);
    EXPECT_EQ(flowback_log::effect_of("MPI_File_open"), Effect::Unknown);
    const auto& outputs = flowback_log::outputs_of("MPI_Request_get_status");
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(outputs[1].argument, 2);
    EXPECT_EQ(outputs[1].bytes, 24);
    EXPECT_EQ(outputs[1].condition, 1);
    EXPECT_EQ(flowback_log::outputs_of("MPI_Get_processor_name")[0].bytes, flowback_log::Access::text);
    EXPECT_EQ(flowback_log::inputs_of("MPI_Waitall")[0].times, 0);
}

}  // namespace
