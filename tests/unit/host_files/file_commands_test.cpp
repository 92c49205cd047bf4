// fstate and tfile.
#include <trollius_commands/command_run.hpp>
#include <vocabulary/source_position.hpp>

#include "file_bench.hpp"

namespace {

using namespace trollius_os;  // NOLINT: the calls and their flags
using file_test::bytes;
using file_test::SimTime;

struct FileCommandBench : file_test::FileBench {
    using FileBench::FileBench;
    std::string typed(const std::vector<std::string>& words) {
        const trollius_commands::Site site{.nodes = 3, .host = box.host_id(), .usual = {}, .most_packet = 4096, .programs = {}};
        trollius_commands::CommandRun run(box.host(), site, trollius_commands::parse_command(words, site), SimTime::s(1));
        EXPECT_TRUE(run_until([&] { return run.over(); }, box.now() + SimTime::s(60), SimTime::us(100)));
        failed = run.failed();
        return run.text();
    }
    void leave_two_open() {
        on_node(1, [&](Api& api) {
            EXPECT_EQ(rfopen(api, "inner/file", open_flags::read_only | open_flags::lock), 3);
            EXPECT_EQ(file_test::read_text(api, 3), "inner");
            EXPECT_EQ(rfopen(api, "new", open_flags::write_only | open_flags::create), 4);
            pid = api.pid().value();
        });
    }
    bool failed = false;
    std::uint32_t pid = 0;
};

}  // namespace

TEST(FstateCommand, ListsTheDescriptorsOfTheHost) {
    FileCommandBench bench;
    bench.leave_two_open();
    const std::string process = "n1/p" + std::to_string(bench.pid);
    EXPECT_EQ(bench.typed({"fstate", "h"}),
              "NODE   FD/COUNT  FLAGS        FLOW CLIENT             NAME\n"
              "h      0/1       R-AL            0 none               console\n"
              "h      1/1       -WAL            0 none               console\n"
              "h      2/1       -WAL            0 none               console\n"
              "h      3/1       R-AL            5 " +
                  process +
                  "         inner/file\n"
                  "h      4/1       -WA-            0 " +
                  process + "         new\n");
    EXPECT_FALSE(bench.failed);
    EXPECT_THAT(bench.typed({"fstate", "-F", "2", "h"}), testing::EndsWith("console\nh      ...and more descriptors...\n"));
    EXPECT_THAT(bench.typed({"fstate", "n1"}), testing::EndsWith("NAME\nn1: service unavailable\n"));
    EXPECT_TRUE(bench.failed);
}

TEST(FstateCommand, WithAListsOnlyThoseWhoseFileIsOpen) {
    FileCommandBench bench;
    bench.on_node(1, [&](Api& api) {
        for (int i = 0; i < 70; ++i) {
            if (i % 29 == 0) api.process().files().reset();
            rfopen(api, std::to_string(i), open_flags::write_only | open_flags::create);
        }
    });
    const auto lines = [&](const std::vector<std::string>& words) {
        const std::string text = bench.typed(words);
        return std::count(text.begin(), text.end(), '\n') - 1;
    };
    EXPECT_EQ(lines({"fstate", "h"}), 73);
    EXPECT_EQ(lines({"fstate", "-a", "h"}), 67);
}

TEST(TfileCommand, PrintsAndSetsTheWorkingDirectory) {
    FileCommandBench bench;
    EXPECT_EQ(bench.typed({"tfile", "h"}), "h: /\n");
    EXPECT_EQ(bench.typed({"tfile", "h", "inner"}), "");
    EXPECT_EQ(bench.typed({"tfile", "h"}), "h: /inner\n");
    EXPECT_EQ(bench.typed({"tfile", "h", "../.."}), "h: Permission denied\n");
    EXPECT_TRUE(bench.failed);
    EXPECT_EQ(bench.typed({"tfile", "h", "none"}), "h: No such file or directory\n");
    EXPECT_EQ(bench.typed({"tfile", "n0-1"}), "n0: service unavailable\nn1: service unavailable\n");
    EXPECT_THROW(bench.typed({"tfile", "h", "a", "b"}), vocabulary::RequestError);
    EXPECT_THROW(bench.typed({"tfile", "-s", "1", "h"}), vocabulary::RequestError) << "the console stays";
}

TEST(TfileCommand, ClosesDescriptors) {
    FileCommandBench bench;
    bench.leave_two_open();
    EXPECT_EQ(bench.typed({"tfile", "-s", "4", "h"}), "");
    EXPECT_THAT(bench.typed({"fstate", "h"}), testing::EndsWith("inner/file\n"));
    EXPECT_EQ(bench.typed({"tfile", "-s", "4", "h"}), "h: Bad file descriptor\n");
    EXPECT_EQ(bench.typed({"tfile", "-S", "h"}), "");
    EXPECT_THAT(bench.typed({"fstate", "h"}), testing::EndsWith("console\n"));
}

TEST(TfileCommand, SaysThatNoDirectoryIsAllowed) {
    FileCommandBench bench(3, false);
    EXPECT_EQ(bench.typed({"tfile", "h"}),
              "h: no directory of the host is allowed; name one with --files, or in the scenario\n");
    EXPECT_EQ(bench.typed({"tfile", "h", "inner"}),
              "h: no directory of the host is allowed; name one with --files, or in the scenario\n");
    EXPECT_TRUE(bench.failed);
}
