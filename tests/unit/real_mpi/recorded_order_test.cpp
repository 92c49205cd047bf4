#include <real_mpi/recorded_order.hpp>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <vocabulary/source_position.hpp>

#include "rank_programs.hpp"

namespace real_mpi {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::Matches;
using testing_support::RankAct;
using testing_support::RankProgram;
using Kind = RankAct::Kind;

struct Folder {
    Folder() : path(testing::TempDir() + "real_mpi_" + std::to_string(::getpid())) {
        std::filesystem::remove_all(path);
        std::filesystem::create_directory(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path;
};

RecordedOrder recorded(const RankProgram& program, const Matches& matches) {
    const Folder folder;
    testing_support::write_rank_files(program, matches, folder.path);
    return order_of(RankFiles(folder.path), {}, false);
}

// Senders that could have come, by the receive's counter.
std::map<int, std::set<int>> races_of(const RecordedOrder& order, std::size_t rank) {
    std::map<int, std::set<int>> races;
    for (const tmon_replay::CallOutcome& one : order.order.ranks[rank].outcomes)
        races[one.first] = {one.others.begin(), one.others.end()};
    return races;
}

TEST(RecordedOrder, NamesExactlyTheMessagesThatCouldHaveCome) {
    int racing = 0, wild = 0;
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
        std::mt19937 random(seed);
        RankProgram program = testing_support::random_program(random);
        const Matches matches = testing_support::random_run(program, random);
        const RecordedOrder order = recorded(program, matches);
        ASSERT_EQ(order.order.end, "ended");
        ASSERT_THAT(order.order.run.unseen, IsEmpty()) << "seed " << seed;
        for (std::size_t rank = 0; rank < program.size(); ++rank) {
            std::map<int, std::set<int>> expected;
            std::size_t receive = 0;
            for (const RankAct& act : program[rank]) {
                if (act.kind != Kind::Receive) continue;
                const std::size_t number = receive++;
                if (act.peer != REAL_ANY) continue;
                ++wild;
                const std::set<int> others = testing_support::senders_that_could(program, matches, rank, number);
                if (!others.empty()) expected[static_cast<int>(number) + 1] = others;
            }
            racing += static_cast<int>(expected.size());
            ASSERT_EQ(races_of(order, rank), expected) << "seed " << seed << ", rank " << rank;
        }
    }
    EXPECT_GT(racing, 150);
    EXPECT_GT(wild - racing, 150);
}

const RankAct receive_any{.kind = Kind::Receive, .peer = REAL_ANY, .tag = 0};
RankAct send_to(int peer) {
    return {.kind = Kind::Send, .peer = peer, .tag = 0};
}

// Rank 2 sends when rank 0 has told it that the first message has come.
TEST(RecordedOrder, AMessageThatFollowsFromTheReceiveDoesNotRaceWithIt) {
    const RankProgram program{
        {receive_any, send_to(2), receive_any}, {send_to(0)}, {{.kind = Kind::Receive, .peer = 0, .tag = 0}, send_to(0)}};
    const RecordedOrder order = recorded(program, {{{1, 0}, {2, 0}}, {}, {{0, 0}}});
    EXPECT_THAT(order.order.ranks[0].outcomes, IsEmpty());
    EXPECT_EQ(order.receives, 3u);
    EXPECT_EQ(order.messages, 3u);
}

TEST(RecordedOrder, ARunThatEndedTooEarlyKeepsReceivesThatHadNoTimeToRace) {
    const RankProgram program{{receive_any}, {send_to(0)}};
    const Folder folder;
    testing_support::write_rank_files(program, {{{1, 0}}, {}}, folder.path);
    std::filesystem::resize_file(folder.path + "/0.rank",
                                 std::filesystem::file_size(folder.path + "/0.rank") - sizeof(real_record));
    const RecordedOrder order = order_of(RankFiles(folder.path), {}, true);
    EXPECT_EQ(order.order.end, "");
    ASSERT_EQ(order.order.ranks[0].outcomes.size(), 1u);
    EXPECT_EQ(order.order.ranks[0].outcomes[0].source, 1);
    EXPECT_THAT(order.order.ranks[0].outcomes[0].others, IsEmpty());
}

TEST(RecordedOrder, AReceiveWithoutASendIsTold) {
    const RankProgram program{{receive_any}, {}};
    const RecordedOrder order = recorded(program, {{{1, 0}}, {}});
    EXPECT_THAT(order.order.run.unseen, ElementsAre("the sending of a message that was received"));
}

TEST(RankFiles, RefuseAFileOfAnotherKind) {
    const Folder folder;
    testing_support::write_rank_files({{}, {}}, {{}, {}}, folder.path);
    std::filesystem::copy_file(MAGICWIRE_SOURCE_DIR "/CHANGELOG.md", folder.path + "/2.rank");
    EXPECT_THROW(const RankFiles files(folder.path), vocabulary::InputError);
    EXPECT_THROW(const RankFiles files(folder.path + "/none"), vocabulary::InputError);
}

}  // namespace
}  // namespace real_mpi
