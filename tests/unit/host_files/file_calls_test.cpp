// The remote file calls one by one, from a node to the host and its real files.
#include <cerrno>

#include "file_bench.hpp"

namespace {

using namespace trollius_os;  // NOLINT: the calls and their flags
using file_test::bytes;
using file_test::FileBench;
using file_test::read_text;
using open_flags::append;
using open_flags::create;
using open_flags::exclusive;
using open_flags::read_only;
using open_flags::read_write;
using open_flags::write_only;

}  // namespace

TEST(FileCalls, WriteAFileAndReadItAgain) {
    FileBench bench;
    bench.on_node(2, [](Api& api) {
        const std::int32_t file = rfopen(api, "new", read_write | create, 0644);
        ASSERT_EQ(file, 3) << "0, 1 and 2 are taken";
        EXPECT_EQ(rfwrite(api, file, bytes("hello world")), 11);
        EXPECT_EQ(read_text(api, file), "");
        EXPECT_EQ(rflseek(api, file, 6, 0), 6);
        EXPECT_EQ(read_text(api, file, 3), "wor");
        EXPECT_EQ(rflseek(api, file, -2, 1), 7);
        EXPECT_EQ(rflseek(api, file, -1, 2), 10);
        EXPECT_EQ(read_text(api, file), "d");
        EXPECT_EQ(rflseek(api, file, -1, 0), -EINVAL);
        EXPECT_EQ(rflseek(api, file, 0, 3), -EINVAL);
        EXPECT_EQ(rflseek(api, file, INT32_MAX, 2), -EOVERFLOW);
        EXPECT_EQ(rfclose(api, file), 0);
        EXPECT_EQ(rfclose(api, file), -EBADF);
        EXPECT_EQ(read_text(api, file), "error " + std::to_string(EBADF));
    });
    EXPECT_EQ(bench.read("allowed/new"), "hello world");
}

TEST(FileCalls, OpenOnlyAsTheFlagsSay) {
    FileBench bench;
    bench.on_node(0, [](Api& api) {
        EXPECT_EQ(rfopen(api, "none", read_only), -ENOENT);
        EXPECT_EQ(rfopen(api, "none/new", write_only | create), -ENOENT);
        EXPECT_EQ(rfopen(api, "inner", read_only), -EISDIR);
        EXPECT_EQ(rfopen(api, "", read_only), -ENOENT);
        EXPECT_EQ(rfopen(api, "inner/file", read_write | create | exclusive), -EEXIST);
        EXPECT_EQ(rfopen(api, "inner/file/x", read_only), -ENOTDIR);
        for (const std::int32_t flags : {3, read_only | open_flags::truncate, read_only | append, 1 << 20, -1})
            EXPECT_EQ(rfopen(api, "inner/file", flags), -EINVAL) << flags;
        const std::int32_t reader = rfopen(api, "inner/file", read_only);
        EXPECT_EQ(rfwrite(api, reader, bytes("x")), -EBADF);
        EXPECT_EQ(rfftruncate(api, reader, 0), -EINVAL);
        const std::int32_t writer = rfopen(api, "inner/file", write_only);
        EXPECT_EQ(read_text(api, writer), "error " + std::to_string(EBADF));
        const std::int32_t end = rfopen(api, "inner/file", write_only | append);
        EXPECT_EQ(rfwrite(api, end, bytes(" more")), 5);
        EXPECT_EQ(rfwrite(api, writer, bytes("I")), 1);
        EXPECT_EQ(read_text(api, reader), "Inner more");
        EXPECT_EQ(rfclose(api, rfopen(api, "inner/file", write_only | open_flags::truncate)), 0);
    });
    EXPECT_EQ(bench.read("allowed/inner/file"), "");
}

TEST(FileCalls, CarryMoreThanAPacketInSeveralRequests) {
    FileBench bench;
    std::string text(10'000, ' ');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
    bench.on_node(1, [&](Api& api) {
        const std::int32_t file = rfopen(api, "long", read_write | create);
        EXPECT_EQ(rfwrite(api, file, bytes(text)), 10'000);
        EXPECT_EQ(rflseek(api, file, 0, 0), 0);
        EXPECT_EQ(read_text(api, file), text);
        EXPECT_EQ(rflseek(api, file, INT32_MAX - 5'000, 0), INT32_MAX - 5'000);
        EXPECT_EQ(rfwrite(api, file, bytes(text)), 4'096) << "the second packet goes beyond the largest file";
        EXPECT_EQ(rfwrite(api, file, bytes(text)), -EFBIG);
        EXPECT_EQ(rfftruncate(api, file, 10'000), 0);
    });
    EXPECT_EQ(bench.read("allowed/long"), text);
}

TEST(FileCalls, MakeListAndRemoveFoldersAndNames) {
    FileBench bench;
    bench.on_node(2, [](Api& api) {
        EXPECT_EQ(rfmkdir(api, "d", 0777), 0);
        EXPECT_EQ(rfmkdir(api, "d"), -EEXIST);
        EXPECT_EQ(rfmkdir(api, "x/y"), -ENOENT);
        EXPECT_EQ(rfrmdir(api, "inner"), -ENOTEMPTY);
        EXPECT_EQ(rfrmdir(api, "inner/file"), -ENOTDIR);
        EXPECT_EQ(rfunlink(api, "d"), -EISDIR);
        EXPECT_EQ(rfunlink(api, "none"), -ENOENT);
        EXPECT_EQ(rfrename(api, "inner/file", "d/moved"), 0);
        EXPECT_EQ(rfrename(api, "none", "d/other"), -ENOENT);
        EXPECT_EQ(rfrename(api, "d", "d/sub"), -EINVAL);
        EXPECT_EQ(rfrename(api, "inner", "d/moved"), -ENOTDIR);
        EXPECT_EQ(rfrmdir(api, "inner"), 0);
        EXPECT_EQ(rfrmdir(api, "."), -EBUSY);
        EXPECT_EQ(rfsystem(api, "touch ran"), -errors::service);
    });
    EXPECT_EQ(bench.tree("allowed"), "allowed/d " + std::to_string(S_IFDIR | 0755) + "\nallowed/d/moved " +
                                         std::to_string(S_IFREG | 0644) + " = inner\n");
}

TEST(FileCalls, TellTypeSizeAndModeAndNothingElse) {
    FileBench bench;
    chmod((bench.base / "allowed/inner/file").c_str(), 0640);
    bench.on_node(0, [](Api& api) {
        FileFacts facts;
        EXPECT_EQ(rfstat(api, "inner/file", facts), 0);
        EXPECT_EQ(facts.kind, FileKind::File);
        EXPECT_EQ(facts.bytes, 5u);
        EXPECT_EQ(facts.mode, 0640u);
        EXPECT_EQ(rfstat(api, "inner", facts), 0);
        EXPECT_EQ(facts.kind, FileKind::Folder);
        EXPECT_EQ(facts.bytes, 0u) << "of a folder it depends on the disk";
        EXPECT_EQ(rfstat(api, "none", facts), -ENOENT);
        const std::int32_t file = rfopen(api, "made", write_only | create, 0666);
        EXPECT_EQ(rfwrite(api, file, bytes("abc")), 3);
        EXPECT_EQ(rffstat(api, file, facts), 0);
        EXPECT_EQ(facts.bytes, 3u);
        EXPECT_EQ(facts.mode, 0644u) << "whatever the umask";
        EXPECT_EQ(rffstat(api, 1, facts), 0);
        EXPECT_EQ(facts.kind, FileKind::Console);
        EXPECT_EQ(rfaccess(api, "inner/file", 6), 0);
        EXPECT_EQ(rfaccess(api, "inner/file", 1), -EACCES);
        EXPECT_EQ(rfaccess(api, "inner", 7), 0);
        EXPECT_EQ(rfaccess(api, "none", 0), -ENOENT);
        EXPECT_EQ(rfaccess(api, "inner", 8), -EINVAL);
    });
}

TEST(FileCalls, CutFilesAndLengthenThem) {
    FileBench bench;
    bench.on_node(0, [](Api& api) {
        EXPECT_EQ(rftruncate(api, "inner/file", 2), 0);
        EXPECT_EQ(rftruncate(api, "inner/file", -1), -EINVAL);
        EXPECT_EQ(rftruncate(api, "inner", 2), -EISDIR);
        EXPECT_EQ(rftruncate(api, "none", 2), -ENOENT);
        const std::int32_t file = rfopen(api, "inner/file", write_only);
        EXPECT_EQ(rfftruncate(api, file, 4), 0);
        EXPECT_EQ(rfftruncate(api, file, -1), -EINVAL);
    });
    EXPECT_EQ(bench.read("allowed/inner/file"), std::string("in\0\0", 4));
}

TEST(FileCalls, HaveOneWorkingDirectoryForAllClients) {
    FileBench bench;
    bench.on_node(0, [](Api& api) {
        std::string now;
        EXPECT_EQ(rfgetwd(api, now), 0);
        EXPECT_EQ(now, "/");
        EXPECT_EQ(rfchdir(api, "inner/file"), -ENOTDIR);
        EXPECT_EQ(rfchdir(api, "none"), -ENOENT);
        EXPECT_EQ(rfchdir(api, "inner"), 0);
    });
    bench.on_node(2, [](Api& api) {
        std::string now;
        EXPECT_EQ(rfgetwd(api, now), 0);
        EXPECT_EQ(now, "/inner");
        EXPECT_EQ(read_text(api, rfopen(api, "file", read_only)), "inner");
        EXPECT_EQ(read_text(api, rfopen(api, "./../inner//file", read_only)), "inner");
        EXPECT_EQ(rfrmdir(api, "../inner"), -EBUSY);
        EXPECT_EQ(rfrename(api, "../inner", "../other"), -EBUSY);
        EXPECT_EQ(rfchdir(api, ".."), 0);
        EXPECT_EQ(rfchdir(api, ".."), -EACCES);
    });
}

TEST(FileCalls, RefuseLongNames) {
    FileBench bench;
    bench.on_node(0, [](Api& api) {
        const std::string longest(160, 'x'), longer(161, 'x');
        EXPECT_EQ(rfclose(api, rfopen(api, longest, write_only | create)), 0);
        EXPECT_EQ(rfopen(api, longer, write_only | create), -ENAMETOOLONG);
        EXPECT_EQ(rfmkdir(api, longer), -ENAMETOOLONG);
        EXPECT_EQ(rfrename(api, longest, longer), -ENAMETOOLONG);
        EXPECT_EQ(rfopen(api, std::string("a\0b", 3), write_only | create), -EINVAL);
        EXPECT_EQ(rfchdir(api, "inner"), 0);
        EXPECT_EQ(rfopen(api, longest, write_only | create), -ENAMETOOLONG) << "from the top it is longer";
        EXPECT_EQ(rfunlink(api, "../" + longest.substr(3)), -ENOENT);
    });
}

TEST(FileCalls, GoToTheHostOrToTheNodeInTheName) {
    FileBench bench(15);  // the host is node 15
    ASSERT_EQ(bench.box.host_id(), file_test::NodeId(15));
    bench.on_node(4, [](Api& api) {
        EXPECT_EQ(rfopen(api, "4:inner/file", read_only), -errors::service);
        EXPECT_EQ(rfopen(api, "99:inner/file", read_only), -errors::bad_node);
        EXPECT_EQ(rfopen(api, "70000:inner/file", read_only), -errors::bad_node);
        EXPECT_EQ(rfrename(api, "15:inner/file", "3:x"), -EXDEV);
        EXPECT_EQ(rfrename(api, "15:inner/file", "inner/x:y"), 0) << "a colon behind letters is part of the name";
        std::string now;
        EXPECT_EQ(rfgetwd(api, now, file_test::NodeId(3)), -errors::service);
    });
    bench.box.host().create({"on the host", Priority::Low, 0, 1024, [](Api& api) {
                                 EXPECT_EQ(read_text(api, rfopen(api, "15:inner/x:y", read_only)), "inner");
                                 EXPECT_EQ(rfopen(api, "3:x", read_only), -errors::service);
                             }});
    bench.run_for(file_test::SimTime::s(1));
}

TEST(FileCalls, HaveTheConsoleOnTheFirstThreeDescriptors) {
    FileBench bench;
    bench.box.host_services().read = [](std::span<std::byte> room) {
        std::fill(room.begin(), room.end(), std::byte{'i'});
        return std::min<std::size_t>(room.size(), 3);
    };
    bench.on_node(2, [](Api& api) {
        EXPECT_EQ(rfwrite(api, 1, bytes("out ")), 4);
        EXPECT_EQ(rfwrite(api, 2, bytes("err ")), 4);
        EXPECT_EQ(rfwrite(api, 0, bytes("in")), -EBADF);
        EXPECT_EQ(read_text(api, 0), "iii");
        EXPECT_EQ(read_text(api, 1), "error " + std::to_string(EBADF));
        EXPECT_EQ(rflseek(api, 1, 0, 0), -ESPIPE);
        EXPECT_EQ(rfftruncate(api, 1, 0), -EINVAL);
        EXPECT_EQ(rfwrite(api, 1, bytes(std::string(5'000, 'x'))), 5'000);
        EXPECT_EQ(rfdup2(api, 1, 9), 9);
        EXPECT_EQ(rfclose(api, 1), 0);
        EXPECT_EQ(rfwrite(api, 1, bytes("gone")), -EBADF);
        EXPECT_EQ(rfwrite(api, 9, bytes(" end")), 4);
    });
    EXPECT_EQ(bench.printed, "out err " + std::string(5'000, 'x') + " end");
}

TEST(FileCalls, WithoutAFolderAreRefusedButForTheConsole) {
    FileBench bench(3, false);
    const std::string before = bench.tree();
    bench.on_node(1, [](Api& api) {
        FileFacts facts;
        std::string now;
        EXPECT_EQ(rfopen(api, "inner/file", read_only), -EACCES);
        EXPECT_EQ(rfopen(api, "new", write_only | create), -EACCES);
        EXPECT_EQ(rfaccess(api, "inner/file", 0), -EACCES);
        EXPECT_EQ(rfmkdir(api, "d"), -EACCES);
        EXPECT_EQ(rfrmdir(api, "inner"), -EACCES);
        EXPECT_EQ(rfunlink(api, "inner/file"), -EACCES);
        EXPECT_EQ(rfchdir(api, "inner"), -EACCES);
        EXPECT_EQ(rfgetwd(api, now), -EACCES);
        EXPECT_EQ(rfstat(api, "inner", facts), -EACCES);
        EXPECT_EQ(rftruncate(api, "inner/file", 0), -EACCES);
        EXPECT_EQ(rfrename(api, "inner", "other"), -EACCES);
        EXPECT_EQ(rfsystem(api, "ls"), -errors::service);
        EXPECT_EQ(rfwrite(api, 1, bytes("text")), 4);
        EXPECT_EQ(read_text(api, 0), "");
        EXPECT_EQ(rfdup(api, 1), 3);
    });
    EXPECT_EQ(bench.printed, "text");
    EXPECT_EQ(bench.tree(), before);
}
