// Files of the host from a program on a node: by the calls of Trollius, by stdio, and by the names of UNIX.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <host_files/host_files.hpp>

#include "program_bench.hpp"

namespace {

namespace fs = std::filesystem;
using test_support::ProgramBench;
using testing::HasSubstr;

struct FilesBench : ProgramBench {
    FilesBench()
        : ProgramBench(topologies::chain(2)),
          folder(fs::path(testing::TempDir()) / ("magicwire_files." + std::to_string(getpid()))) {
        fs::remove_all(folder);
        fs::create_directories(folder / "allowed");
        std::ofstream(folder / "out") << "outside";
        store = std::make_unique<host_files::HostFiles>((folder / "allowed").string());
        box().host_services().files = store.get();
        load("files");
    }
    ~FilesBench() { fs::remove_all(folder); }
    std::string text(const std::string& part) {
        EXPECT_TRUE(run({{1, "files", {part}}}));
        EXPECT_EQ(said(), "");
        EXPECT_THAT(ends, testing::ElementsAre(std::pair(1, 0)));
        return printed();
    }
    std::string content(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(folder / "allowed" / name).rdbuf();
        return text.str();
    }

    fs::path folder;
    std::unique_ptr<host_files::HostFiles> store;
};

}  // namespace

TEST(ProgramFiles, AreOpenedReadWrittenAndMoved) {
    FilesBench bench;
    EXPECT_EQ(bench.text("calls"),
              "rfopen: 3\nrfwrite: 10000\nrflseek: 5000\nrfread: 5000\nthe bytes: 1 1\nrfdup: 4, rfdup2: 17\nrfftruncate: 0\n"
              "rffstat: 0, 100 bytes, file 1\nrfclose: 0 0 0\nrfmkdir: 0, rfrename: 0\n"
              "rfchdir: 0, rfaccess: 0, rftruncate: 0\nrfgetwd: 0 /below\nrfstat: 0, 7 bytes\n"
              "rfchdir: 0, rfunlink: 0, rfrmdir: 0\n");
    EXPECT_TRUE(fs::is_empty(bench.folder / "allowed"));
}

TEST(ProgramFiles, AreRefusedByName) {
    FilesBench bench;
    EXPECT_EQ(
        bench.text("errors"),
        "none: fails: No such file or directory\nabove: fails: Permission denied\nabsolute: fails: Permission denied\n"
        "a node without files: fails: service unavailable\nno node: fails: invalid node\nlong: fails: File name too long\n"
        "flags: fails: Invalid argument\ndescriptor: fails: Bad file descriptor\nnodes: fails: Invalid cross-device link\n"
        "system: fails: service unavailable\nsmall: fails: Numerical result out of range\n"
        "too many: fails: Too many open files in system\n29 opened\n");
}

TEST(ProgramFiles, AreDescriptorsOfFiled) {
    FilesBench bench;
    EXPECT_EQ(bench.text("service"),
              "4 rows; shared has 1 users and 5 bytes moved, from n1\n3 users, 1 closed, then -1\none way takes less\n");
    EXPECT_EQ(bench.content("shared"), "12345");
    EXPECT_EQ(bench.content("one_way"), bench.content("answered"));
}

TEST(ProgramFiles, AreStreamsOfStdio) {
    FilesBench bench;
    ASSERT_TRUE(bench.run({{1, "files", {"stdio"}}}));
    EXPECT_EQ(bench.printed(),
              "at 8890, fclose: 0\nline 2\nat 21\n'l' 'x'\nfread: 9, 'xine', at the end well\nLINE 3\n"
              "8895 bytes before fclose\nmode: fails: Invalid argument\nnone: No such file or directory\n"
              "fputs: Bad file descriptor\n");
    EXPECT_THAT(bench.said(), HasSubstr("calls scanf() with that conversion, which a node does not have"));
    const std::string text = bench.content("text");
    EXPECT_THAT(text, testing::StartsWith("line 0\nline 1\nline 2\nLINE 3\nline 4\n"));
    EXPECT_THAT(text, testing::EndsWith("line 999\nend\n."));
}

TEST(ProgramFiles, AreScannedAsTheCLibraryScansText) {
    FilesBench bench;
    EXPECT_EQ(bench.text("scan"), "0 of 240 differ; 2000 numbers, to the end\n");
}

TEST(ProgramFiles, TakeStdoutAndLeaveStderr) {
    FilesBench bench;
    EXPECT_EQ(bench.text("redirect"), "on the console\non the console, too\n");
    EXPECT_EQ(bench.content("log"), "in the file, stdout\n");
}

TEST(ProgramFiles, HaveTheNamesOfUnix) {
    FilesBench bench;
    EXPECT_EQ(bench.text("posix"),
              "read: 3 'ell', fstat: 0, 5 bytes, close 0\ndprintf: 0\nremove: 0, mkdir: 0, remove: 0\ngetcwd: /\n");
}

TEST(ProgramFiles, AreStreamsOfCPlusPlus) {
    FilesBench bench;
    bench.load("ends");
    EXPECT_TRUE(bench.run({{1, "ends", {"streams"}}}));
    EXPECT_EQ(bench.said(), "");
    EXPECT_THAT(bench.printed(), testing::StartsWith("two three not open\n"));
    EXPECT_EQ(bench.content("lines"), "one\ntwo\nthree\n");
}

TEST(ProgramFiles, StdinIsTheInputStream) {
    FilesBench bench;
    std::string input = "one\ntwo\nthree";
    bench.box().host_services().read = [&input](std::span<std::byte> room) {
        const std::size_t got = std::min<std::size_t>(room.size(), 5);
        const std::size_t count = input.copy(reinterpret_cast<char*>(room.data()), got);
        input.erase(0, count);
        return count;
    };
    EXPECT_EQ(bench.text("stdin"), "what? 1: one\n2: two\n3: threethe end\n");
}

TEST(ProgramFiles, AreClosedAtTheEndOfTheProcess) {
    FilesBench bench;
    bench.text("errors");
    bench.ends.clear();
    EXPECT_THAT(bench.text("service"), HasSubstr("4 rows; shared")) << "else the first process's would be there";
}
