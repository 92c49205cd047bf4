// The ledger says of a stream what the assembler says that has the records.
#include <gmock/gmock.h>

#include <random>

#include <tmon_streams/stream_ledger.hpp>
#include "stream_assembler.hpp"

namespace tmon_streams {
namespace {

TEST(StreamLedger, HasTheStateAndTheLossesOfTheAssembler) {
    for (std::uint32_t seed = 1; seed <= 500; ++seed) {
        std::mt19937 random(seed);
        std::vector<Event> all(60);
        for (std::uint32_t i = 0; i < all.size(); ++i) all[i].seq = i;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;  // first and length
        for (std::uint32_t first = 0; first < all.size();) {
            const auto length =
                std::min(1 + static_cast<std::uint32_t>(random() % 9), static_cast<std::uint32_t>(all.size()) - first);
            if (random() % 4 != 0) blocks.emplace_back(first, length);
            first += length;
        }
        std::shuffle(blocks.begin(), blocks.end(), random);
        StreamAssembler assembler(3);
        StreamLedger ledger(3);
        std::uint64_t records = 0;
        for (const auto& [first, length] : blocks) {
            const auto block = std::span<const Event>(all).subspan(first, length);
            assembler.add(first, block);
            EXPECT_EQ(ledger.add(first, block), StreamLedger::Place::New);
            records += length;
        }
        for (unsigned i = random() % 3; i > 0; --i) {
            const auto first = static_cast<std::uint32_t>(random() % 70), length = static_cast<std::uint32_t>(random() % 10);
            const LossRange range{3, first, first + length, LossCause::BufferFull};
            assembler.add_loss(range);
            ledger.add_loss(range);
        }
        if (random() % 2 == 0) {
            assembler.set_end(60);
            ledger.set_end(60);
        }
        const Stream one = assembler.assemble().stream, two = ledger.stream();
        EXPECT_EQ(one.state, two.state);
        EXPECT_EQ(one.losses, two.losses) << "seed " << seed;
        EXPECT_EQ(ledger.records(), records);
        EXPECT_EQ(ledger.suspect(), 0U);
    }
}

TEST(StreamLedger, TellsWhatCameTwiceOrHasNoPlace) {
    StreamLedger ledger(0);
    std::vector<Event> events(4);
    for (std::uint32_t i = 0; i < events.size(); ++i) events[i].seq = i;
    EXPECT_EQ(ledger.add(0, events), StreamLedger::Place::New);
    EXPECT_EQ(ledger.add(2, std::span(events).last(2)), StreamLedger::Place::Again);
    EXPECT_EQ(ledger.add(9, events), StreamLedger::Place::Misplaced);
    EXPECT_EQ(ledger.suspect(), 4U);
    EXPECT_FALSE(ledger.misses(0, 3));
    ledger.set_end(3);
    EXPECT_EQ(ledger.suspect(), 5U);
}

}  // namespace
}  // namespace tmon_streams
