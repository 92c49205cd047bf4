// A small trace file of every kind of block, and both readers of it side by side.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <trace_record/trace_file.hpp>
#include <trace_record/trace_scan.hpp>
#include <vocabulary/source_position.hpp>

namespace trace_record {

class TraceSample : public testing::Test {
protected:
    TraceSample() {
        folder = std::filesystem::temp_directory_path() / ("trace_scan_test_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
        trace_path = (folder / "run.mwt").string();
    }
    ~TraceSample() override { std::filesystem::remove_all(folder); }

    static std::vector<Event> some_events(std::uint16_t node, std::uint32_t first, std::uint32_t count) {
        std::vector<Event> events(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            events[i].node = node;
            events[i].seq = first + i;
            events[i].time_us = 100ULL * (first + i);
            events[i].task = (first + i) / 4;
        }
        return events;
    }
    void write(bool compress) const {
        TraceFileWriter writer(trace_path, R"({"expected_nodes":2})", {.compress = compress, .force = true});
        writer.events(0, 0, some_events(0, 0, 40), 4100);
        writer.events(1, 0, some_events(1, 0, 20));
        writer.loss({1, 20, 29, LossCause::BufferFull});
        writer.events(1, 30, some_events(1, 30, 5), 9000);
        writer.stream_end(0, 40);
        writer.closing(R"({"run_hash":"abc"})");
        writer.close();
    }
    std::string bytes() const {
        std::ifstream in(trace_path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void put(const std::string& bytes) const { std::ofstream(trace_path, std::ios::binary) << bytes; }
    template <class Reader>
    std::string error_of() const {
        try {
            const Reader reader(trace_path);
        } catch (const vocabulary::InputError& error) {
            return error.message();
        }
        return "";
    }
    void expect_the_same_from_both_readers() const {
        const std::string error = error_of<TraceFileReader>();
        ASSERT_EQ(error_of<TraceScan>(), error);
        if (!error.empty()) return;
        const TraceFileReader whole(trace_path);
        std::vector<BlockPlace> places;
        std::vector<std::vector<Event>> shown;
        const TraceScan scan(trace_path, [&](const BlockPlace& block, std::span<const Event> records) {
            places.push_back(block);
            shown.emplace_back(records.begin(), records.end());
        });
        EXPECT_EQ(scan.end(), whole.end());
        EXPECT_EQ(scan.status(), whole.status());
        EXPECT_EQ(scan.closing(), whole.closing());
        EXPECT_EQ(scan.losses(), whole.losses());
        ASSERT_EQ(places.size(), whole.blocks().size());
        std::vector<Event> records;
        for (std::size_t i = 0; i < places.size(); ++i) {
            scan.read(places[i], records);
            EXPECT_TRUE(std::ranges::equal(records, whole.blocks()[i].events));
            EXPECT_EQ(records, shown[i]);
            EXPECT_EQ(places[i].unloaded_us, whole.blocks()[i].unloaded_us);
        }
    }

    std::filesystem::path folder;
    std::string trace_path;
};

}  // namespace trace_record
