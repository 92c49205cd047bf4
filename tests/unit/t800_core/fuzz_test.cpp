// Random images can do nothing to the host, and end at the limit. T800_IMAGES sets their number (scripts/t800_campaign: 10^7
// under AddressSanitizer).
#include <cstdint>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "bench_node.hpp"

namespace t800_fuzz {
namespace {

using namespace t800_test;

void random_image(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    CoreSettings settings;
    settings.external_access = random() % 2 == 0 ? 1 : 3;
    BenchNode node(random() % 2 == 0 ? 4096 : 8192, settings);
    const std::size_t length = 2 + random() % 254;
    std::vector<std::uint8_t> image{static_cast<std::uint8_t>(length)};
    const std::uint64_t kind = random() % 3;
    for (std::size_t i = 0; i < length; ++i) {
        auto byte = static_cast<std::uint8_t>(random());
        if (kind == 1 && random() % 2 == 0) byte = static_cast<std::uint8_t>(0xF0 | byte);          // operations
        if (kind == 2 && random() % 3 == 0) byte = static_cast<std::uint8_t>(0x20 | (byte & 0xF));  // long operands
        image.push_back(byte);
    }
    for (std::size_t i = random() % 64; i > 0; --i) image.push_back(static_cast<std::uint8_t>(random()));
    node.send(static_cast<int>(random() % 4), image);
    if (random() % 4 == 0) node.clear_reserved();
    node.reset();
    node.run(2'000 + random() % 20'000);
    if (random() % 8 == 0) {
        node.core.event_raised();
        node.core.analyse();
        node.run(node.core.now() + 5'000);
        node.reset();
        node.run(node.core.now() + 1'000);
    }
    EXPECT_LE(node.core.decoded_bytes(), 768U * 1024);
}

TEST(T800Fuzz, RandomImagesEndAtTheLimit) {
    const char* wanted = std::getenv("T800_IMAGES");
    const std::uint64_t count = wanted == nullptr ? 20'000 : std::strtoull(wanted, nullptr, 10);
    for (std::uint64_t seed = 0; seed < count; ++seed) random_image(seed);
}

}  // namespace
}  // namespace t800_fuzz
