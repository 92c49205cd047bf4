// As bad.c, with the means of C++.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <trek_kernel/trek.h>

namespace fs = std::filesystem;

struct Task {
    char deed[32], canary[480];
};
struct OfTheProgram {
    int number;
};
struct Base {
    Base() { indirectly(); }
    virtual ~Base() = default;
    void indirectly() { does(); }
    virtual void does() = 0;
};
struct Derived : Base {
    void does() override {}
};
struct ThrowsAtItsEnd {
    ~ThrowsAtItsEnd() noexcept(false) { throw std::logic_error("too late"); }
};
static void promises() noexcept {
    throw std::runtime_error("promised otherwise");
}
static char much(unsigned bytes) {
    return std::vector<char>(bytes)[0];
}
static void throws() {
    throw std::out_of_range("row 7 of 5");
}

#define DEED(name) else if (deed == #name)

static bool throws_or_ends(const std::string& deed, const std::string& path) {
    if (deed.empty()) return_result(path.c_str(), 1);
    DEED(throws) throws();
    DEED(throws_number) throw 42;
    DEED(throws_words) throw "no such row";
    DEED(throws_own) throw OfTheProgram{3};
    DEED(throws_promised) promises();
    DEED(throws_at_its_end) {
        try {
            ThrowsAtItsEnd a;
            throw 1;
        } catch (int) {
        }
    }
    DEED(rethrows) {
        try {
            throws();
        } catch (...) {
            throw;
        }
    }
    DEED(terminates) std::terminate();
    DEED(exits) std::exit(0);
    DEED(pure_virtual) Derived();
    DEED(vector_at) std::vector<int>(3).at(5) = 1;
    DEED(much_memory) return_result(path.c_str(), 1u + static_cast<unsigned>(much(1u << 30)));
    else return false;
    return true;
}

void compute_fn(const void* data, unsigned) {
    Task t;
    std::memcpy(&t, data, sizeof t);
    const std::string deed(t.deed), path(t.canary), other = path + ".touched";
    if (throws_or_ends(deed, path)) return;
    DEED(ofstream) std::ofstream(path) << "overwritten";
    DEED(fs_remove) fs::remove(path);
    DEED(fs_remove_all) fs::remove_all(fs::path(path).parent_path());
    DEED(fs_rename) fs::rename(path, other);
    DEED(fs_create) fs::create_directory(other);
    DEED(fs_copy) fs::copy_file(path, other);
    DEED(fs_current) fs::current_path("/");
    DEED(fs_walk) for (const auto& entry : fs::directory_iterator("/")) std::puts(entry.path().c_str());
    DEED(thread) std::thread([] {}).join();
    DEED(async) std::async(std::launch::async, [] { return 1; }).get();
    DEED(future) std::promise<int>().get_future().get();
    DEED(future_waits) {
        std::promise<int> promise;
        promise.get_future().get();
    }
    DEED(mutex) {
        std::mutex lock;
        lock.lock();
        lock.lock();
    }
    DEED(condition) {
        std::mutex lock;
        std::condition_variable never;
        std::unique_lock held(lock);
        never.wait(held);
    }
    DEED(sleeps) std::this_thread::sleep_for(std::chrono::hours(24));
    DEED(system) {
        if (std::system(("touch " + other).c_str()) == 0) return;
    }
    else std::fprintf(stderr, "no deed %s\n", t.deed);
}

void data_generator() {
    Task t{};
    char line[600] = "";
    if (std::fgets(line, sizeof line, stdin) != nullptr) std::sscanf(line, "%31s %479s", t.deed, t.canary);
    for (unsigned i = 0; i < total_tasks(); ++i) do_task(&t, sizeof t);
}

void result_receiver() {
    for (unsigned i = 0; i < total_tasks(); ++i) get_result(nullptr);
}
