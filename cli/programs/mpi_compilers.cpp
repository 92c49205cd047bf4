// mpicc, mpicxx: the C and C++ compilers with the MPI library, as build systems call them. A link makes a module for the nodes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include <node_programs/builder.hpp>
#include <user_programs/tools.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct CompilerWords {
    std::vector<std::string> options, sources, objects, linker;  // `options`: for the compiler
    std::string output;
    bool links = true, cpp = false;
    enum class Shows : std::uint8_t { Nothing, All, Compile, Link } shows = Shows::Nothing;
};

bool ends_with_any(const std::string& word, std::initializer_list<const char*> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return word.ends_with(ending); });
}

// A compiler's options that take the next word.
bool takes_next(const std::string& word) {
    static const std::vector<std::string> all = {"-I", "-D",  "-U",   "-include", "-isystem",  "-iquote",
                                                 "-x", "-MF", "-MT",  "-MQ",      "-Xlinker",  "-Xpreprocessor",
                                                 "-L", "-l",  "-std", "--param",  "-idirafter"};
    return std::find(all.begin(), all.end(), word) != all.end();
}

void take_option(CompilerWords& words, const std::string& word, const std::string& next) {
    if (word == "-c" || word == "-E" || word == "-S" || word == "-M" || word == "-MM" || word == "-fsyntax-only")
        words.links = false;
    if (word.starts_with("-l") || word.starts_with("-L") || word.starts_with("-Wl,"))
        return words.linker.push_back(word + next);
    if (word == "-shared" || word == "-static" || word == "-pthread") return;  // a module is none of these
    words.options.push_back(word);
    if (!next.empty()) words.options.push_back(next);
}

// Words of the wrappers of LAM, Open MPI and MPICH.
CompilerWords::Shows shown_by(const std::string& word) {
    using Shows = CompilerWords::Shows;
    if (word == "-show" || word == "-showme" || word == "--showme") return Shows::All;
    if (word == "-showme:compile" || word == "--showme:compile" || word == "-compile_info") return Shows::Compile;
    if (word == "-showme:link" || word == "--showme:link" || word == "-link_info") return Shows::Link;
    return Shows::Nothing;
}

CompilerWords read_words(const std::vector<std::string>& all, bool cpp) {
    CompilerWords words;
    words.cpp = cpp;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string& word = all[i];
        const bool has_next = i + 1 < all.size();
        if (const auto shows = shown_by(word); shows != CompilerWords::Shows::Nothing) {
            words.shows = shows;
        } else if (word == "-o" && has_next) {
            words.output = all[++i];
        } else if (word.starts_with("-o") && word.size() > 2 && !word.starts_with("-openmp")) {
            words.output = word.substr(2);
        } else if (takes_next(word) && has_next) {
            take_option(words, word, all[++i]);
        } else if (word.starts_with('-') && word.size() > 1) {
            take_option(words, word, {});
        } else if (ends_with_any(word, {".o", ".a", ".so", ".lo"})) {
            words.objects.push_back(word);
        } else {
            words.cpp = words.cpp || ends_with_any(word, {".cpp", ".cc", ".cxx", ".C", ".c++"});
            words.sources.push_back(word);
        }
    }
    return words;
}

// It goes before the words of the user, which win.
std::vector<std::string> compiler(const CompilerWords& words) {
    std::vector<std::string> command = {words.cpp ? "g++" : "gcc"};
    std::vector<std::string> own = node_programs::mpi_compile_options(words.cpp);
    command.insert(command.end(), own.begin(), own.end());
    return command;
}

int call(const std::vector<std::string>& command) {
    const user_programs::ToolResult done = user_programs::run_tool(command);
    std::fwrite(done.output.data(), 1, done.output.size(), stderr);
    return done.status;
}

int only_compile(const CompilerWords& words, const std::vector<std::string>& all) {
    std::vector<std::string> command = compiler(words);
    command.insert(command.end(), all.begin(), all.end());
    const user_programs::ToolResult done = user_programs::run_tool(command);
    // -E and -M print their result.
    const bool prints =
        words.output.empty() && std::find(words.options.begin(), words.options.end(), "-c") == words.options.end();
    std::fwrite(done.output.data(), 1, done.output.size(), prints ? stdout : stderr);
    return done.status;
}

// A folder for one run of the compiler.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "magicwire_mpicc_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw vocabulary::HostError("no folder can be made in " + name);
        name_ = name;
    }
    ~Folder() {
        std::error_code error;
        fs::remove_all(name_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::string& name() const { return name_; }

private:
    std::string name_;
};

int link(const CompilerWords& words) {
    const Folder folder;
    std::vector<std::string> objects;
    for (const std::string& source : words.sources) {
        std::vector<std::string> command = compiler(words);
        command.insert(command.end(), words.options.begin(), words.options.end());
        objects.push_back(folder.name() + "/" + std::to_string(objects.size()) + ".o");
        command.insert(command.end(), {"-c", source, "-o", objects.back()});
        if (const int status = call(command); status != 0) return status;
    }
    objects.insert(objects.end(), words.objects.begin(), words.objects.end());
    node_programs::link_mpi({.files = objects,
                             .output = words.output.empty() ? "a.out" : words.output,
                             .options = words.linker,
                             .cpp = words.cpp,
                             .folder = folder.name()});
    return 0;
}

// Works without `magicwire`, too. -showme:compile and -showme:link print options only, as build systems want them.
int show(const CompilerWords& words, const std::vector<std::string>& all) {
    using Shows = CompilerWords::Shows;
    std::vector<std::string> command = compiler(words);
    const node_programs::MpiLinkWords link = node_programs::mpi_link_words(words.cpp);
    const auto append = [&command](const std::vector<std::string>& more) {
        command.insert(command.end(), more.begin(), more.end());
    };
    if (words.shows != Shows::All) command.erase(command.begin());
    if (words.shows == Shows::Link) command.clear();
    const bool links = words.shows != Shows::Compile && words.links;
    if (links) append(link.options);
    for (const std::string& word : all) {
        if (shown_by(word) == Shows::Nothing && words.shows == Shows::All) command.push_back(word);
    }
    if (links) append(link.archives);
    put(fmt::format("{}", fmt::join(command, " ")));
    return 0;
}

int compile(const std::vector<std::string>& all, bool cpp) {
    const CompilerWords words = read_words(all, cpp);
    if (words.shows != CompilerWords::Shows::Nothing) return show(words, all);
    if (words.sources.empty() && words.objects.empty()) {
        const user_programs::ToolResult done = user_programs::run_tool([&] {
            std::vector<std::string> command = {cpp ? "g++" : "gcc"};
            command.insert(command.end(), all.begin(), all.end());
            return command;
        }());
        std::fwrite(done.output.data(), 1, done.output.size(), done.status == 0 ? stdout : stderr);
        return done.status;
    }
    return words.links ? link(words) : only_compile(words, all);
}

void add_compiler(CLI::App& app, int& result, const char* name, const char* about, bool cpp) {
    CLI::App* command = app.add_subcommand(name, about);
    command->prefix_command();
    command->set_help_flag("--help", "Print this help");
    command->footer(fmt::format(
        "Words are those of {}, which compiles; a link makes a module that `magicwire mpirun` starts. "
        "-show prints the command.\nIn makefiles: CC='magicwire {}'.\n\n"
        "Examples:\n  magicwire {} -O2 -o ring ring.c\n  magicwire {} -c part.c && magicwire {} part.o main.o -lm -o prog\n",
        cpp ? "g++" : "gcc", name, name, name, name));
    command->callback([command, &result, cpp] { result = compile(command->remaining(), cpp); });
}

}  // namespace

void add_mpi_compilers(CLI::App& app, int& result) {
    add_compiler(app, result, "mpicc", "Compile an MPI program in C for the nodes of a machine, as a compiler does", false);
    add_compiler(app, result, "mpicxx", "The same in C++", true);
}

}  // namespace cli
