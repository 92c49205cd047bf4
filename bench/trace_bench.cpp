// Writes and reads the binary trace file, raw and compressed: wall time of whole calls, best of several. The events are those
// of a farm: 16 nodes, blocks of 128 records (one trace buffer). The file lies in the folder given by --folder (default: the
// current one).
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <trace_record/trace_file.hpp>

namespace {

using trace_record::Event;

constexpr std::uint16_t nodes = 16;
constexpr std::uint32_t block_events = 128;
constexpr int repetitions = 5;

double seconds(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

std::vector<Event> block_of(std::uint16_t node, std::uint32_t first) {
    std::vector<Event> events(block_events);
    for (std::uint32_t i = 0; i < block_events; ++i) {
        Event& event = events[i];
        event.node = node;
        event.seq = first + i;
        event.time_us = 137ull * event.seq + node;
        event.task = event.seq / 6;
        event.peer = static_cast<std::uint16_t>(node / 2);
        event.bytes = 1000;
    }
    return events;
}

void write_trace(const std::string& path, std::uint32_t rounds, bool compress) {
    trace_record::TraceFileWriter writer(path, R"({"expected_nodes":16})", {.compress = compress, .force = true});
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::uint16_t node = 0; node < nodes; ++node)
            writer.events(node, round * block_events, block_of(node, round * block_events));
    }
    writer.close();
}

std::uint64_t read_trace(const std::string& path) {
    const trace_record::TraceFileReader reader(path);
    std::uint64_t sum = 0;
    for (const auto& block : reader.blocks()) {
        for (const Event& event : block.events) sum += event.task;
    }
    return sum;
}

void measure(const std::string& folder, std::uint32_t rounds, bool compress) {
    const std::string path = folder + "/trace_bench.mwtrace";
    const std::string kind = compress ? "zstd" : "raw";
    const double events = static_cast<double>(rounds) * nodes * block_events;
    double write = std::numeric_limits<double>::max();
    double read = write;
    std::uint64_t sum = 0;
    for (int i = 0; i < repetitions; ++i) {
        auto start = std::chrono::steady_clock::now();
        write_trace(path, rounds, compress);
        write = std::min(write, seconds(start));
        start = std::chrono::steady_clock::now();
        sum = read_trace(path);
        read = std::min(read, seconds(start));
    }
    ::unlink(path.c_str());
    std::printf("trace_write_%s %.1f ns/event\n", kind.c_str(), write / events * 1e9);
    std::printf("trace_read_%s %.1f ns/event\n", kind.c_str(), read / events * 1e9);
    std::printf("trace_checksum_%s %llu sum\n", kind.c_str(), static_cast<unsigned long long>(sum));
}

}  // namespace

int main(int argc, char** argv) {
    std::string folder = ".";
    double events = 4e6;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--folder") == 0) folder = argv[i + 1];
        if (std::strcmp(argv[i], "--events") == 0) events = std::atof(argv[i + 1]);
    }
    const auto rounds = static_cast<std::uint32_t>(events / (nodes * block_events)) + 1;
    measure(folder, rounds, false);
    measure(folder, rounds, true);
    return 0;
}
