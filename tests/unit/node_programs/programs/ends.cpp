// The ends of a process. The first word says how it ends.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include <unistd.h>

#include <node_programs/trollius.h>

namespace {

struct Told {
    const char* name;
    std::string text;  // has memory of its own
    explicit Told(const char* its_name) : name(its_name), text(std::string(40, '.') + its_name) {}
    ~Told() { std::printf("%s is destroyed, with %zu bytes\n", name, text.size()); }
};
Told first("first"), second("second");

void by_atexit() {
    static const Told late("late");  // constructed at the end: destroyed after this function
    std::printf("atexit\n");
}
void by_atkexit(void* argument) {
    std::printf("atkexit %s\n", static_cast<const char*>(argument));
}
void by_on_exit(int status, void*) {
    std::printf("on_exit %d\n", status);
}
[[gnu::destructor]] void destructor() {
    std::printf("destructor\n");
}
[[gnu::destructor(2000)]] void late_destructor() {
    std::printf("destructor 2000\n");
}
[[gnu::destructor(1000)]] void last_destructor() {
    std::fputs("destructor 1000\n", stdout);
    std::printf("the end");
}
void ends_again() {
    std::printf("exits again\n");
    std::exit(5);
}
void deep(int depth) {
    const Told local("local");  // not destroyed by exit(), as the C++ standard has it
    if (depth == 0) std::exit(4);
    deep(depth - 1);
}
int many() {
    int taken = 0;
    while (atkexit([](void*) {}, nullptr) == 0) ++taken;
    std::printf("%d taken, %s\n", taken, errno == ENOEXDESCRIPTORS ? "out of exit descriptors" : "fails");
    int more = 0;
    while (more < 100 && std::atexit([] {}) == 0) ++more;
    std::printf("%d of atexit\n", more);
    return 0;
}

// The library's streams come to the same files.
int streams() {
    std::ofstream("lines") << "one\ntwo\n";
    std::fstream both("lines", std::ios::in | std::ios::out | std::ios::app);
    both << "three\n" << std::flush;
    both.seekg(4);
    for (std::string line; std::getline(both, line);) std::cout << line << ' ';
    std::ifstream none("none");
    std::cout << (none ? "open" : "not open") << std::endl;
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string how = argc > 1 ? argv[1] : "";
    if (how == "many") return many();
    if (how == "streams") return streams();
    std::atexit(by_atexit);
    static char word[] = "last";
    atkexit(by_atkexit, word);
    on_exit(by_on_exit, nullptr);
    if (how == "again") std::atexit(ends_again);
    if (how == "deep") deep(3);
    if (how == "kexit") kexit(6);
    std::cout << "an unfinished line ";
    if (how == "_exit") _exit(7);
    if (how == "_kexit") _kexit(8);
    if (how == "abort") std::abort();
    if (how == "pause") kpause();
    if (how == "throw") throw 3;
    std::cout << "is finished\n";
    return 3;
}
