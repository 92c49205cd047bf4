// fuzz_replay TARGET FILE_OR_FOLDER...: gives the target every file once. What is wrong with one ends the program.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz_target.hpp"

namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& place) {
    if (!std::filesystem::is_directory(place)) return {place};
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

int main(int argc, char** argv) {
    const auto targets = fuzz::targets();
    const auto target = std::find_if(targets.begin(), targets.end(),
                                     [&](const fuzz::Target& one) { return argc > 1 && one.name == std::string(argv[1]); });
    if (target == targets.end() || argc < 3) {
        std::fprintf(stderr, "usage: fuzz_replay TARGET FILE_OR_FOLDER...; targets:");
        for (const fuzz::Target& one : targets) std::fprintf(stderr, " %s", one.name);
        std::fprintf(stderr, "\n");
        return 2;
    }
    std::size_t count = 0;
    for (int i = 2; i < argc; ++i) {
        for (const auto& path : files_of(argv[i])) {
            std::printf("%s\n", path.c_str());
            std::fflush(stdout);
            std::ifstream file(path, std::ios::binary);
            fuzz::feed(*target, std::string(std::istreambuf_iterator<char>(file), {}));
            ++count;
        }
    }
    std::printf("%zu inputs\n", count);
    return count == 0 ? 1 : 0;
}

#ifdef MAGICWIRE_SIMULATION
extern "C" int sc_main(int argc, char** argv);
int sc_main(int, char**) {  // SystemC's library asks for it; no target runs a simulation
    return 0;
}
#endif
