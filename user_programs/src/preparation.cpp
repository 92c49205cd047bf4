#include <user_programs/preparation.hpp>

#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <sstream>

#include <installed_files/installed_files.hpp>
#include <user_programs/compilation.hpp>
#include <user_programs/module_builder.hpp>
#include <user_programs/tools.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace user_programs {
namespace {

namespace fs = std::filesystem;
using vocabulary::HostError;
using vocabulary::InputError;

constexpr const char* compiler = "clang-14";
constexpr const char* missing = "clang 14 cannot be run; install it, on Debian with: apt-get install clang-14";

// Beside the running program, in the build tree as in an installation.
std::string find_helper() {
    const fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
    std::vector<fs::path> places{own};
    for (const auto& prefix : installed_files::prefixes()) places.push_back(prefix / "bin");
    places.emplace_back(MAGICWIRE_BINARY_FOLDER);
    for (const fs::path& place : places) {
        const fs::path helper = place / "magicwire-flowback-prepare";
        if (fs::exists(helper)) return helper.string();
    }
    throw HostError(
        "this Magicwire was built without LLVM 14, so no program can be prepared; install the Debian package llvm-14-dev and "
        "build it again");
}

// The folder of the two files that go into the versions, in the build tree or in an installation.
std::string find_support() {
    for (const auto& prefix : installed_files::prefixes()) {
        const fs::path folder = prefix / "share/magicwire/support/flowback";
        if (fs::exists(folder / "log.c")) return folder.string();
    }
    return MAGICWIRE_SOURCE_FOLDER "/user_programs/flowback";
}

class Preparing {
public:
    explicit Preparing(const Preparation& what) : what_(what), support_(find_support()), helper_(find_helper()) {
        if (!what_.say)
            say_ = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
        else
            say_ = what_.say;
        cpp_ = std::any_of(what_.sources.begin(), what_.sources.end(), is_cpp);
    }

    bool prepare() {
        std::error_code error;
        fs::create_directories(what_.folder, error);
        if (error)
            throw InputError({what_.folder, 0, 0},
                             "the folder cannot be created: " + error.message() + "; name another with --build");
        const BuildLock lock(what_.folder);
        database_ = what_.folder + "/prepared.new";
        fs::remove(database_);
        compile_to_bitcode();
        parts_ = what_.parts_of(write_names());
        builder_.emplace(what_.folder, parts_, cpp_, say_);
        const std::string key = key_of();
        if (is_up_to_date(what_.output, key) && is_sealed(content_of(what_.output))) return false;
        for (std::size_t i = 0; i < what_.sources.size(); ++i) make_versions(i);
        link();
        seal();
        std::error_code moved;
        fs::rename(database_, what_.output, moved);
        if (moved)
            throw InputError({what_.output, 0, 0}, "cannot be written: " + moved.message() + "; name another file with -o");
        remember(what_.output, key);
        return true;
    }

private:
    std::string file(std::size_t source, const char* ending) const {
        return what_.folder + "/flowback_" + std::to_string(source) + ending;
    }

    void run(std::vector<std::string> command, const std::string& source) {
        const ToolResult done = run_tool(command);
        if (done.status == 127) throw HostError(missing);
        if (!done.output.empty()) say_(done.output);
        if (done.status != 0) throw InputError({source, 0, 0}, "cannot be prepared; correct what is said above");
    }

    // As the compiler understands the source, without optimisation; the key of the result rests on it.
    void compile_to_bitcode() {
        for (std::size_t i = 0; i < what_.sources.size(); ++i) {
            const std::string& source = what_.sources[i];
            std::vector<std::string> command = {compiler,
                                                is_cpp(source) ? "-std=gnu++20" : "-std=gnu11",
                                                "-O0",
                                                "-Xclang",
                                                "-disable-O0-optnone",
                                                "-g",
                                                "-fPIC",
                                                "-fno-delete-null-pointer-checks",  // a store through one is a fault
                                                "-fno-builtin-malloc",
                                                "-fno-builtin-calloc",
                                                "-fno-builtin-free",
                                                "-fno-discard-value-names",
                                                "-U_FORTIFY_SOURCE",
                                                "-UNDEBUG",
                                                "-emit-llvm",
                                                "-c"};
            for (const std::string& folder : what_.headers) command.push_back("-I" + folder);
            command.insert(command.end(), what_.options.begin(), what_.options.end());
            command.insert(command.end(), {fs::absolute(source).lexically_normal().string(), "-o", file(i, ".bc")});
            if (!fs::exists(source)) throw InputError({source, 0, 0}, "there is no such source file");
            run(command, source);
        }
    }

    // SQLite does not look behind its last page, where a mark and a checksum of all before it go.
    void seal() const { write_content(database_, with_sum(content_of(database_) + "MWPREP1\n")); }
    static std::string with_sum(std::string all) {
        const std::uint64_t sum = XXH64(all.data(), all.size(), 0);
        return all.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    }
    static bool is_sealed(const std::string& all) {
        return all.size() > sizeof(std::uint64_t) && with_sum(all.substr(0, all.size() - sizeof(std::uint64_t))) == all;
    }

    std::string key_of() const {
        ContentHash hash;
        hash.add(what_.blocks);
        for (const std::string& option : what_.options) hash.add(option);
        for (std::size_t i = 0; i < what_.sources.size(); ++i) {
            hash.add(content_of(what_.sources[i]));
            hash.add(content_of(file(i, ".bc")));
        }
        for (const std::string& tool : {helper_, parts_.compiled, support_ + "/log.c", support_ + "/trace.c"})
            hash.add(content_of(tool));
        for (const std::string& archive : parts_.archives) hash.add(content_of(archive));
        return hash.digits();
    }

    // Functions that one source calls and another one defines.
    std::set<std::string> write_names() {
        std::vector<std::string> command = {helper_, "names"};
        for (std::size_t i = 0; i < what_.sources.size(); ++i) command.push_back(file(i, ".bc"));
        const ToolResult done = run_tool(command);
        if (done.status != 0) throw HostError("magicwire-flowback-prepare fails: " + done.output);
        write_content(what_.folder + "/names", done.output);
        std::set<std::string> names;
        std::istringstream lines(done.output);
        for (std::string line; std::getline(lines, line);) names.insert(line);
        return names;
    }

    void make_versions(std::size_t i) {
        const std::string& source = what_.sources[i];
        run({helper_, file(i, ".bc"), database_, std::to_string(i + 1), source, what_.blocks, file(i, ".log.bc"),
             file(i, ".trace.bc"), what_.folder + "/names"},
            source);
        // The plain version is compiled like the logging one, so that they differ by the log alone.
        for (const char* version : {".log", ""}) {
            run({compiler, "-O1", "-g", "-fPIC", "-fno-omit-frame-pointer", "-fno-vectorize", "-fno-slp-vectorize",
                 "-fno-inline-functions", "-fno-optimize-sibling-calls", "-fno-builtin-malloc", "-fno-builtin-calloc",
                 "-fno-builtin-free", "-fsanitize-coverage=bb,trace-pc,no-prune", "-c",
                 file(i, (std::string(version) + ".bc").c_str()), "-o", file(i, (std::string(version) + ".o").c_str())},
                source);
        }
        run({compiler, "-O1", "-fPIC", "-c", file(i, ".trace.bc"), "-o", file(i, ".trace.o")}, source);
        plain_.push_back(file(i, ".o"));
        logging_.push_back(file(i, ".log.o"));
        tracing_.push_back(file(i, ".trace.o"));
    }

    void link() {
        const std::string module = what_.folder + "/flowback.so", plain = what_.folder + "/plain.so";
        const std::string tracing = what_.folder + "/flowback.trace.so", code = what_.folder + "/flowback_trace.o";
        logging_.push_back(builder_->compile_own(support_ + "/log.c"));
        for (const auto& [version, objects] : {std::pair(module, logging_), std::pair(plain, plain_)}) {
            bool anew = false;
            if (builder_->link_module(version, objects, what_.options, anew)) continue;
            throw InputError({what_.output, 0, 0},
                             "the sources cannot be linked to a program; correct what the linker says above");
        }
        std::vector<std::string> own = {"gcc", "-std=gnu11",          "-O2", "-fPIC", "-fexceptions",
                                        "-c",  support_ + "/trace.c", "-o",  code};
        own.push_back("-I" +
                      installed_files::find_header_folder("flowback_log", "instrumentation/flowback_log/include/flowback_log") +
                      "/..");
        for (const std::string& folder : parts_.headers) own.push_back("-I" + folder);
        run(own, support_ + "/trace.c");
        std::vector<std::string> command = {"gcc", "-shared", "-o", tracing, code};
        command.insert(command.end(), tracing_.begin(), tracing_.end());
        command.emplace_back("-lm");
        run(command, tracing);
        ContentHash digest;
        digest.add(content_of(module));
        run({helper_, "store", database_, digest.digits(), "logging.so", module, "logging.blocks",
             what_.folder + "/flowback.blocks", "plain.so", plain, "plain.blocks", what_.folder + "/plain.blocks", "tracing.so",
             tracing},
            what_.output);
    }

    const Preparation& what_;
    std::string support_, helper_;
    ModuleParts parts_;
    std::function<void(const std::string&)> say_;
    bool cpp_ = false;
    std::string database_;
    std::optional<ModuleBuilder> builder_;
    std::vector<std::string> plain_, logging_, tracing_;
};

}  // namespace

bool prepare(const Preparation& preparation) {
    return Preparing(preparation).prepare();
}

}  // namespace user_programs
