// Names that lead out of the allowed folder, and things that are neither file nor folder: refused, and nothing is touched.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <thread>

#include <vocabulary/source_position.hpp>

#include "file_bench.hpp"

namespace {

using namespace trollius_os;  // NOLINT: the calls and their flags
using file_test::FileBench;
using file_test::read_text;
using open_flags::create;
using open_flags::read_only;
using open_flags::read_write;
using open_flags::write_only;

struct HostileBench : FileBench {
    HostileBench() {
        const auto link = [&](const std::string& to, const char* name) {
            std::filesystem::create_symlink(to, base / "allowed" / name);
        };
        link("../outside", "link_out");
        link("../outside/secret", "link_file");
        link((base / "outside/secret").string(), "absolute");
        link((base / "allowed/inner/file").string(), "absolute_inside");
        link("../outside/new", "dangling");
        link("inner/../../outside/secret", "winding");
        link("loop", "loop");
        link("inner", "inside");
        link("/proc/self/root", "magic");
        link("/dev/null", "null");
        EXPECT_EQ(mkfifo((base / "allowed/fifo").c_str(), 0666), 0);
        has_device = mknod((base / "allowed/device").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0;
        before = tree();
    }
    // Every call that takes a name. What each returned, and that the disk is as it was.
    std::map<std::string, std::int32_t> all_calls(Api& api, const std::string& name) const {
        FileFacts facts;
        std::map<std::string, std::int32_t> got;
        got["read"] = rfopen(api, name, read_only);
        got["write"] = rfopen(api, name, write_only);
        got["truncating"] = rfopen(api, name, read_write | open_flags::truncate);
        got["create"] = rfopen(api, name, read_write | create);
        got["access"] = rfaccess(api, name, 0);
        got["chdir"] = rfchdir(api, name);
        got["stat"] = rfstat(api, name, facts);
        got["truncate"] = rftruncate(api, name, 0);
        got["exclusive"] = rfopen(api, name, write_only | create | open_flags::exclusive);
        got["mkdir"] = rfmkdir(api, name);
        got["rmdir"] = rfrmdir(api, name);
        got["unlink"] = rfunlink(api, name);
        got["rename from"] = rfrename(api, name, "inner/renamed");
        got["rename to"] = rfrename(api, "inner/file", name);
        EXPECT_EQ(tree(), before) << name;
        return got;
    }
    void expect_refused(Api& api, const std::string& name, ErrorNumber error) const {
        for (const auto& [call, result] : all_calls(api, name)) {
            const bool may_exist = call == "mkdir" || call == "exclusive";
            const bool right = result == -error || (may_exist && result == -EEXIST);
            EXPECT_TRUE(right) << call << " of " << name << " gave " << result;
        }
    }

    std::string before;
    bool has_device = false;
};

}  // namespace

// The names lead to the test's own folder, or can be neither changed nor removed. So a fault of the server would harm nobody.
TEST(Refusals, AreForNamesThatLeadOut) {
    HostileBench bench;
    const std::string secret = (bench.base / "outside/secret").string();
    bench.on_node(1, [&](Api& api) {
        for (const std::string& name :
             {std::string("../outside/secret"), std::string("../outside"), std::string("../outside/new"), std::string(".."),
              std::string("inner/../../outside/secret"), std::string("/"), secret, "/" + secret, std::string("link_out/secret"),
              std::string("link_out/new"), std::string("link_file"), std::string("absolute"), std::string("absolute_inside"),
              std::string("winding"), "magic" + secret})
            bench.expect_refused(api, name, EACCES);
        for (const char* name : {"/dev/null", "/dev/", "/dev", "null", "../../../../dev/null"}) {
            FileFacts facts;
            EXPECT_EQ(rfopen(api, name, read_only), -EACCES) << name;
            EXPECT_EQ(rfopen(api, name, read_write | create), -EACCES) << name;
            EXPECT_EQ(rfstat(api, name, facts), -EACCES) << name;
        }
        EXPECT_EQ(rfopen(api, "link_out/../secret", read_only), -ENOENT) << "'..' takes back the word before it";
    });
}

TEST(Refusals, AreForNamesThatLeadOutOfTheWorkingDirectory) {
    HostileBench bench;
    bench.on_node(1, [&](Api& api) {
        EXPECT_EQ(rfchdir(api, "inner"), 0);
        for (const char* name :
             {"../../outside/secret", "../../outside", "../link_out/secret", "../link_file", "../..", "/inner/file"}) {
            FileFacts facts;
            EXPECT_EQ(rfopen(api, name, read_write | create), -EACCES) << name;
            EXPECT_EQ(rfstat(api, name, facts), -EACCES) << name;
            EXPECT_EQ(rfunlink(api, name), -EACCES) << name;
            EXPECT_EQ(rfrename(api, "file", name), -EACCES) << name;
            EXPECT_EQ(rfchdir(api, name), -EACCES) << name;
            EXPECT_EQ(rftruncate(api, name, 0), -EACCES) << name;
        }
        EXPECT_EQ(rfchdir(api, "../link_out"), -EACCES);
        EXPECT_EQ(bench.tree(), bench.before);
    });
}

TEST(Refusals, AreForFifosAndDevicesWithoutOpeningThem) {
    HostileBench bench;
    bench.on_node(2, [&](Api& api) {
        bench.expect_refused(api, "fifo", EACCES);
        if (bench.has_device) bench.expect_refused(api, "device", EACCES);
    });
}

TEST(Refusals, AreForLinksThatLeadNowhere) {
    HostileBench bench;
    bench.on_node(2, [&](Api& api) {
        EXPECT_EQ(rfopen(api, "loop", read_only), -ELOOP);
        EXPECT_EQ(rfopen(api, "loop", read_write | create), -ELOOP);
        EXPECT_EQ(rfopen(api, "dangling", read_write | create), -EACCES);
        bench.all_calls(api, "loop");
        bench.all_calls(api, "dangling");
    });
}

TEST(Refusals, AreNotForLinksInside) {
    HostileBench bench;
    bench.on_node(2, [&](Api& api) {
        EXPECT_EQ(read_text(api, rfopen(api, "inside/file", read_only)), "inner");
        EXPECT_EQ(rfunlink(api, "inside"), -EBUSY);
        rfclose_all(api);
        EXPECT_EQ(rfunlink(api, "inside"), -EACCES) << "a link itself is left alone";
        EXPECT_EQ(rfrmdir(api, "inside"), -EACCES);
        EXPECT_EQ(rfrename(api, "inside", "other"), -EACCES);
    });
    EXPECT_EQ(bench.tree(), bench.before);
}

// Somebody on the host changes a folder for a link that leads out, and back, while files are made in it.
TEST(Refusals, HoldWhileFoldersBecomeLinks) {
    file_test::Folders folders;
    host_files::HostFiles store((folders.base / "allowed").string());
    std::filesystem::create_symlink("../outside", folders.base / "allowed/link_out");
    const std::string outside = folders.tree("outside");
    std::atomic<bool> over = false;
    std::thread changer([&] {
        const std::string one = (folders.base / "allowed/inner").string(), two = (folders.base / "allowed/link_out").string();
        while (!over) syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD, two.c_str(), 2);  // RENAME_EXCHANGE
    });
    int made = 0, refused = 0;
    for (int i = 0; (made < 200 || refused < 200) && i < 500'000; ++i) {
        const std::string name = "inner/" + std::to_string(i);
        FileOpened file = store.open(name, {.read = true, .write = true, .create = true, .mode = 0666});
        ++(file.file != nullptr && file.file->write(0, file_test::bytes("x")).bytes == 1 ? made : refused);
        store.make_folder(name + "d", 0777);
        store.rename(name, name + "r");
        store.rename("inner/secret", "taken");
        store.remove_file("inner/secret");
        EXPECT_FALSE(store.open("inner/secret", {.write = true, .truncate = true}).file);
    }
    over = true;
    changer.join();
    EXPECT_GT(made, 0);
    EXPECT_GT(refused, 0);
    EXPECT_EQ(folders.tree("outside"), outside);
}

TEST(Refusals, AreForAFolderThatIsNone) {
    file_test::Folders folders;
    for (const char* name : {"none", "allowed/inner/file"})
        EXPECT_THROW(host_files::HostFiles((folders.base / name).string()), vocabulary::RequestError) << name;
}

TEST(Refusals, HoldWhenTheNameComesToTheServerUnchecked) {
    HostileBench bench;
    bench.on_node(0, [&](Api& api) {
        for (std::string name : {std::string("../outside/secret"), std::string("/no/such/name"), std::string(3'000, 'x'),
                                 std::string("a\0b", 3), std::string()}) {
            auto body = std::as_writable_bytes(std::span(name));
            const services::FileOrder order{
                .caller = services::caller(api), .call = services::FileOrderCall::Open, .number = read_write | create};
            Message request = services::request_to(api.kernel().host(), events::filed, order, body);
            api.nsend(request);
            EXPECT_LT(decode<services::FileReply>(services::await_answer(api)).value, 0);
        }
    });
    EXPECT_EQ(bench.tree(), bench.before);
}
