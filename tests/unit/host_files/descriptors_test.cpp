// Descriptors of a process and of filed: their numbers, sharing, locks, and far more of them than open files.
#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "file_bench.hpp"

namespace {

using namespace trollius_os;  // NOLINT: the calls and their flags
using file_test::bytes;
using file_test::FileBench;
using file_test::read_text;
using open_flags::create;
using open_flags::lock;
using open_flags::read_only;
using open_flags::read_write;
using open_flags::reuse;
using open_flags::write_only;

std::size_t open_files_below(const std::filesystem::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
        count += target.starts_with(folder.string() + "/") ? 1U : 0U;
    }
    return count;
}

// Descriptors of filed, as many as a test wants: a process that changes its table has 29 more.
class ManyTables {
public:
    explicit ManyTables(Api& api) : api_(api) {}
    void take(std::size_t table) {
        tables_[now_] = api_.process().files();
        now_ = table;
        api_.process().files() = tables_[table];
    }

private:
    Api& api_;
    std::size_t now_ = 0;
    std::map<std::size_t, std::shared_ptr<RemoteFiles>> tables_;
};

std::vector<FileLine> lines_of(Api& api) {
    std::vector<FileLine> lines;
    EXPECT_GE(rfstate(api, api.kernel().host(), lines), 0);
    return lines;
}

}  // namespace

TEST(Descriptors, AreThirtyTwoAProcess) {
    FileBench bench;
    bench.on_node(0, [](Api& api) {
        for (std::int32_t i = 3; i < 32; ++i) EXPECT_EQ(rfopen(api, "inner/file", read_only), i);
        EXPECT_EQ(rfopen(api, "inner/file", read_only), -ENFILE);
        EXPECT_EQ(rfdup(api, 3), -ENFILE);
        EXPECT_EQ(rfclose(api, 7), 0);
        EXPECT_EQ(rfdup(api, 3), 7);
        EXPECT_EQ(rfdup2(api, 3, 32), -EBADF);
        EXPECT_EQ(rfdup2(api, 3, -1), -EBADF);
        EXPECT_EQ(lines_of(api).size(), 3u + 28u);
        rfclose_all(api);
        EXPECT_EQ(lines_of(api).size(), 3u);
    });
    bench.on_node(0, [](Api& api) { EXPECT_EQ(rfopen(api, "inner/file", read_only), 3); });
}

TEST(Descriptors, OfAProgramAreClosedAtItsEnd) {
    FileBench bench;
    bench.box.programs()["opener"] = {1'000, 1'024,
                                      [](Api& api, const Arguments&) { EXPECT_EQ(rfopen(api, "inner/file", read_only), 3); }};
    bench.box.host().create({"loader", Priority::Low, 0, 1'024,
                             [&](Api& api) { EXPECT_TRUE(loadgo(api, file_test::NodeId(1), api.node(), "opener")); }});
    bench.run_for(file_test::SimTime::s(1));
    bench.on_node(0, [](Api& api) { EXPECT_EQ(lines_of(api).size(), 3u); });
}

TEST(Descriptors, OfOneOpeningShareTheOffset) {
    FileBench bench;
    bench.on_node(0, [](Api& api) {
        const std::int32_t one = rfopen(api, "inner/file", read_only);
        const std::int32_t two = rfdup(api, one);
        EXPECT_EQ(read_text(api, one, 2), "in");
        EXPECT_EQ(read_text(api, two, 2), "ne");
        EXPECT_EQ(rfclose(api, one), 0);
        EXPECT_EQ(read_text(api, two), "r");
        const std::int32_t other = rfopen(api, "inner/file", read_only);
        EXPECT_EQ(rfdup2(api, other, two), two);
        EXPECT_EQ(read_text(api, two, 1), "i");
        EXPECT_EQ(rfdup2(api, two, two), two);
        EXPECT_EQ(lines_of(api).size(), 4u) << "the first one has no user any more";
        EXPECT_EQ(lines_of(api)[3].users, 2);
    });
}

TEST(Descriptors, AreSharedBetweenProcessesByOReuse) {
    FileBench bench;
    bench.on_node(0, [&](Api& api) {
        EXPECT_EQ(rfopen(api, "shared", read_write | create | reuse), 3);
        EXPECT_EQ(rfwrite(api, 3, bytes("abc")), 3);
    });
    bench.on_node(2, [&](Api& api) {
        const std::int32_t same = rfopen(api, "inner/../shared", read_write | reuse);
        EXPECT_EQ(rfwrite(api, same, bytes("def")), 3) << "behind the other's";
        const std::int32_t reader = rfopen(api, "shared", read_only | reuse);
        EXPECT_EQ(read_text(api, reader), "abcdef") << "another access, another descriptor";
        EXPECT_EQ(lines_of(api)[3].users, 2);
    });
}

TEST(Descriptors, MayBeTwoHundredOverSixtyFourOpenFiles) {
    FileBench bench;
    const std::filesystem::path folder = bench.base / "allowed";
    bench.on_node(1, [&](Api& api) {
        ManyTables tables(api);
        const auto each = [&](auto act) {
            for (std::size_t i = 0; i < 200; ++i) {
                tables.take(i / 25);
                act(static_cast<std::int32_t>(3 + i % 25), std::to_string(i));
                EXPECT_LE(open_files_below(folder), 64u);
            }
        };
        each([&](std::int32_t file, const std::string& name) { EXPECT_EQ(rfopen(api, name, read_write | create), file); });
        EXPECT_EQ(open_files_below(folder), 64u);
        for (int round = 0; round < 3; ++round)
            each([&](std::int32_t file, const std::string& name) { rfwrite(api, file, bytes(name + ".")); });
        each([&](std::int32_t file, const std::string&) { EXPECT_EQ(rflseek(api, file, 0, 0), 0); });
        each([&](std::int32_t file, const std::string& name) {
            EXPECT_EQ(read_text(api, file), name + "." + name + "." + name + ".");
        });
        const auto lines = lines_of(api);
        EXPECT_EQ(lines.size(), 203u);
        EXPECT_EQ(std::count_if(lines.begin() + 3, lines.end(), [](const FileLine& line) { return line.active; }), 64);
        EXPECT_TRUE(lines.back().active) << "the last one used";
        EXPECT_FALSE(lines[3].active);
    });
}

TEST(Descriptors, ThatAreLockedKeepTheirFileOpen) {
    FileBench bench;
    const std::filesystem::path folder = bench.base / "allowed";
    bench.on_node(1, [&](Api& api) {
        ManyTables tables(api);
        for (std::size_t i = 0; i < 63; ++i) {
            tables.take(i / 25);
            EXPECT_GE(rfopen(api, std::to_string(i), read_write | create | lock), 3);
        }
        tables.take(9);
        EXPECT_EQ(rfopen(api, "one_more", read_write | create | lock), -errors::full);
        for (int i = 0; i < 20; ++i) EXPECT_GE(rfopen(api, "free" + std::to_string(i), read_write | create), 3);
        EXPECT_EQ(open_files_below(folder), 64u);
        for (int i = 0; i < 20; ++i) EXPECT_EQ(rfwrite(api, 3 + i, bytes(std::to_string(i))), i < 10 ? 1 : 2);
        for (const FileLine& line : lines_of(api)) EXPECT_TRUE(!line.locked || line.active) << line.name;
        EXPECT_EQ(rftruncate(api, "free0", 0), 0);
        EXPECT_LE(open_files_below(folder), 64u);
    });
    EXPECT_FALSE(std::filesystem::exists(folder / "one_more"));
    EXPECT_EQ(bench.read("allowed/free19"), "19");
    EXPECT_EQ(bench.read("allowed/free0"), "");
}

TEST(Descriptors, OfTheServerHaveALimit) {
    FileBench bench;
    bench.on_node(0, [&](Api& api) {
        for (int i = 0; i < 1024; ++i) {
            api.process().files().reset();
            ASSERT_EQ(rfopen(api, "inner/file", read_only), 3) << i;
        }
        api.process().files().reset();
        EXPECT_EQ(rfopen(api, "inner/file", read_only), -errors::full);
        EXPECT_EQ(lines_of(api).size(), 1027u);
        EXPECT_EQ(rfrmfd(api, api.kernel().host(), std::nullopt), 1024);
        EXPECT_EQ(rfopen(api, "inner/file", read_only), 3);
    });
}

TEST(Descriptors, FollowTheirFileWhenItIsRenamedAndKeepItsName) {
    FileBench bench;
    bench.on_node(0, [&](Api& api) {
        const std::int32_t file = rfopen(api, "inner/file", read_write);
        EXPECT_EQ(rfunlink(api, "inner/file"), -EBUSY);
        EXPECT_EQ(rfrename(api, "inner", "other"), 0);
        ManyTables tables(api);
        tables.take(1);
        for (int i = 0; i < 29; ++i) rfopen(api, "a" + std::to_string(i), read_write | create);
        tables.take(2);
        for (int i = 0; i < 29; ++i) rfopen(api, "b" + std::to_string(i), read_write | create);
        tables.take(3);
        for (int i = 0; i < 29; ++i) rfopen(api, "c" + std::to_string(i), read_write | create);
        EXPECT_EQ(rfrename(api, "a0", "other/file"), -EBUSY);
        tables.take(0);
        EXPECT_FALSE(lines_of(api)[3].active) << "closed for now";
        EXPECT_EQ(read_text(api, file), "inner");
        EXPECT_EQ(lines_of(api)[3].name, "other/file");
        EXPECT_EQ(rfclose(api, file), 0);
        EXPECT_EQ(rfunlink(api, "other/file"), 0);
    });
}

TEST(Descriptors, DoNotTakeAnotherFileForTheirOwn) {
    FileBench bench;
    bench.on_node(0, [&](Api& api) {
        const std::int32_t file = rfopen(api, "inner/file", read_write);
        ManyTables tables(api);
        for (std::size_t table : {1, 2, 3}) {
            tables.take(table);
            for (int i = 0; i < 29; ++i) rfopen(api, std::to_string(i), read_write | create);
        }
        tables.take(0);
        bench.write("allowed/inner/new", "another");
        std::filesystem::rename(bench.base / "allowed/inner/new", bench.base / "allowed/inner/file");
        EXPECT_EQ(rfwrite(api, file, bytes("x")), -ESTALE);
        EXPECT_EQ(rfclose(api, file), 0);
    });
    EXPECT_EQ(bench.read("allowed/inner/file"), "another");
}

TEST(Descriptors, AreListedAndForgottenByRequest) {
    FileBench bench;
    bench.on_node(2, [&](Api& api) {
        const NodeId host = api.kernel().host();
        EXPECT_EQ(rfopen(api, "inner/file", read_only | lock), 3);
        EXPECT_EQ(read_text(api, 3), "inner");
        const auto lines = lines_of(api);
        ASSERT_EQ(lines.size(), 4u);
        EXPECT_EQ(lines[0].name, "console");
        const FileLine& line = lines[3];
        EXPECT_EQ(line.name, "inner/file");
        EXPECT_TRUE(line.readable && !line.writable && line.active && line.locked);
        EXPECT_EQ(line.flow, 5u);
        EXPECT_EQ(line.client, services::caller(api));
        EXPECT_EQ(rfincr(api, host, line.descriptor, 2), 3);
        EXPECT_EQ(rfincr(api, host, line.descriptor, -4), -EINVAL);
        EXPECT_EQ(rfincr(api, host, 99, 1), -EBADF);
        EXPECT_EQ(rfclose(api, 3), 0);
        EXPECT_EQ(lines_of(api).size(), 4u) << "it has users";
        EXPECT_EQ(rfincr(api, host, line.descriptor, -2), 0);
        EXPECT_EQ(lines_of(api).size(), 3u);
        EXPECT_EQ(rfopen(api, "inner/file", read_only), 3);
        EXPECT_EQ(rfrmfd(api, host, 1), -EINVAL) << "the console stays";
        EXPECT_EQ(rfrmfd(api, host, 99), -EBADF);
        EXPECT_EQ(rfrmfd(api, host, 3), 1);
        EXPECT_EQ(read_text(api, 3), "error " + std::to_string(EBADF));
    });
}

TEST(Descriptors, WithO1WayWriteWithoutAnAnswer) {
    FileBench bench;
    const std::string packet(4'000, 'x');
    file_test::SimTime with, without;
    bench.on_node(2, [&](Api& api) {
        const auto write = [&](std::int32_t flags) {
            const std::int32_t file = rfopen(api, "stream" + std::to_string(flags), write_only | create | flags);
            const file_test::SimTime began = api.port().now();
            for (int i = 0; i < 10; ++i) EXPECT_EQ(rfwrite(api, file, bytes(packet)), 4'000);
            const file_test::SimTime took = api.port().now() - began;
            EXPECT_EQ(rfclose(api, file), 0);
            return took;
        };
        with = write(0);
        without = write(open_flags::one_way);
        const std::int32_t reader = rfopen(api, "inner/file", read_only | open_flags::one_way);
        EXPECT_EQ(rfwrite(api, reader, bytes("lost")), 4) << "the error is lost";
        EXPECT_EQ(read_text(api, reader), "inner") << "and no answer to it is taken for this one";
    });
    EXPECT_LT(without, with);
    EXPECT_EQ(bench.read("allowed/stream262144").size(), 40'000u);
    EXPECT_EQ(bench.read("allowed/inner/file"), "inner");
}
