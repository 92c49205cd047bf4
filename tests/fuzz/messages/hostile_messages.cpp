// hostile_messages SEED MESSAGES: one machine with hostile processes, mild with an even seed and wild with an odd one. Prints
// what came of it. Exit code 1: something is not in order.
#include <cstdio>
#include <cstdlib>

#include "hostile_traffic.hpp"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: hostile_messages SEED MESSAGES\n");
        return 2;
    }
    const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
    const auto mood = seed % 2 == 0 ? hostile::Mood::Mild : hostile::Mood::Wild;
    hostile::Traffic traffic(seed, mood);
    const auto wrong = traffic.run(std::atoi(argv[2]));
    std::printf("%s, seed %llu: %d messages, %llu dropped as damaged\n", mood == hostile::Mood::Mild ? "mild" : "wild",
                static_cast<unsigned long long>(seed), traffic.sent(), static_cast<unsigned long long>(traffic.dropped()));
    for (const std::string& line : wrong) std::printf("  %s\n", line.c_str());
    return wrong.empty() ? 0 : 1;
}
