#include <farm_programs/builder.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <farm_programs/block_costs.hpp>
#include <farm_programs/install_prefix.hpp>
#include <vocabulary/errors.hpp>

#include "compilation.hpp"
#include "tools.hpp"

namespace farm_programs {
namespace {

using vocabulary::InputError;

// One build at a time in a folder; others wait.
class Lock {
public:
    explicit Lock(const std::string& path) : file_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
        if (file_ < 0) throw InputError({path, 0, 0}, "cannot be written; choose a folder that can, with --build");
        flock(file_, LOCK_EX);
    }
    ~Lock() { close(file_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    int file_;
};

class Builder {
public:
    Builder(const Specification& spec, const BuildOptions& options)
        : spec_(spec), say_(options.say), support_(find_support_files()), sources_(spec.all_sources()) {
        if (!say_) say_ = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
        const std::filesystem::path beside = std::filesystem::path(spec.path).parent_path() / "build" / spec.name;
        folder_ = options.folder.empty() ? beside.string() : options.folder;
        cpp_ = std::any_of(sources_.begin(), sources_.end(), [](const Word& word) { return is_cpp(word.text); });
    }

    Built build() {
        std::error_code error;
        std::filesystem::create_directories(folder_, error);
        if (error)
            throw InputError({folder_, 0, 0},
                             "the folder cannot be created: " + error.message() + "; choose another with --build");
        const Lock lock(folder_ + "/lock");
        compiler_ = version("gcc") + (cpp_ ? version("g++") : "");
        for (std::size_t i = 0; i < sources_.size(); ++i) objects_.push_back(user_object(i));
        built_.module = folder_ + "/" + spec_.name + ".so";
        built_.sequential = folder_ + "/" + spec_.name + ".sequential";
        check_functions();
        link_module();
        link_sequential();
        read_types();
        return std::move(built_);
    }

private:
    static std::string version(const std::string& compiler) {
        const ToolResult run = run_tool({compiler, "-dumpfullversion"});
        if (run.status != 0)
            throw InputError({compiler, 0, 0},
                             "the compiler cannot be run; install it, on Debian with: apt-get install " + compiler);
        return compiler + " " + run.output;
    }

    // The options of a step, as a file of the support code lists them.
    std::vector<std::string> options_in(const std::string& file) const {
        std::istringstream lines(content_of(support_.support + "/" + file));
        std::vector<std::string> options;
        for (std::string line; std::getline(lines, line);) {
            if (!line.empty()) options.push_back(line);
        }
        return options;
    }

    std::vector<std::string> language_and(const std::string& source, const std::string& file) const {
        std::vector<std::string> flags = options_in(file);
        flags.insert(flags.begin(), is_cpp(source) ? "-std=gnu++20" : "-std=gnu11");
        flags.push_back("-I" + support_.headers);
        return flags;
    }

    std::string user_object(std::size_t number) {
        const Word& source = sources_[number];
        std::vector<std::string> flags = language_and(source.text, "compile_options.txt");
        flags.emplace_back("-Wall");
        for (const std::string& folder : spec_.folders) flags.push_back("-I" + folder);
        flags.insert(flags.end(), spec_.options.begin(), spec_.options.end());
        flags.emplace_back("-U_FORTIFY_SOURCE");  // its checks end in the C library's own printf()
        const Compiled done = compile({source.text, number, flags, types_of(source.text)}, folder_, compiler_);
        if (done.anew) built_.compiled.push_back(source.text);
        if (!done.output.empty()) say_(done.output);
        if (done.status != 0)
            throw InputError(source.where, "'" + source.text + "' cannot be compiled; correct what the compiler says above");
        return done.object;
    }

    // A type must be known in the first file of each function that makes or takes such messages.
    std::vector<TypeCheck> types_of(const std::string& source) const {
        std::vector<TypeCheck> checks;
        const auto add = [&](const std::optional<Word>& type, bool result, std::initializer_list<Function> users) {
            const bool uses = std::any_of(users.begin(), users.end(), [&](Function function) {
                return !spec_.files(function).empty() && spec_.files(function).front().text == source;
            });
            if (type && uses) checks.push_back({result, type->text, spec_.path, type->where.line});
        };
        add(spec_.task_type, false, {Function::DataGenerator, Function::Compute, Function::Split});
        add(spec_.result_type, true, {Function::Compute, Function::ResultReceiver, Function::Join});
        return checks;
    }

    // Each function is in one of the files that the specification names for it.
    void check_functions() {
        std::map<std::string, std::set<std::string>> defined;  // by source
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            // Lines NAME LETTER ...; the letter U: called and not defined.
            std::istringstream names(run_tool({"nm", "-g", "--format=posix", objects_[i]}).output);
            for (std::string line, name, letter; std::getline(names, line);) {
                std::istringstream(line) >> name >> letter;
                if (letter != "U") defined[sources_[i].text].insert(name);
                if (name.starts_with("work_")) built_.charges = true;
            }
        }
        for (std::size_t i = 0; i < functions; ++i) {
            const auto function = static_cast<Function>(i);
            const auto& files = spec_.files(function);
            const std::string name = function_name(function);
            const auto has = [&](const Word& file) { return defined[file.text].contains(name); };
            if (files.empty() || std::any_of(files.begin(), files.end(), has)) continue;
            fail_missing(name, files.front(), defined);
        }
    }

    [[noreturn]] void fail_missing(const std::string& name, const Word& file,
                                   std::map<std::string, std::set<std::string>>& defined) const {
        for (const auto& [other, names] : defined) {
            if (names.contains(name))
                throw InputError(file.where, "'" + file.text + "' has no function " + name + "(), and '" + other +
                                                 "' has one; name that file here");
        }
        const std::string mangled = "_Z" + std::to_string(name.size()) + name;
        const auto& own = defined[file.text];
        if (std::any_of(own.begin(), own.end(), [&](const std::string& symbol) { return symbol.starts_with(mangled); }))
            throw InputError(file.where, "'" + file.text + "' defines " + name +
                                             "() otherwise than trek.h declares it; include <trek_kernel/trek.h> and take its "
                                             "parameters");
        throw InputError(file.where,
                         "'" + file.text + "' has no function " + name + "(); write it there, or name the file that has it");
    }

    std::vector<std::string> with_libraries(std::vector<std::string> command) const {
        // Options such as -lm and -L count for the linker, others did their work already.
        for (const std::string& option : spec_.options) {
            if (option.starts_with("-l") || option.starts_with("-L") || option.starts_with("-Wl,")) command.push_back(option);
        }
        command.emplace_back("-lm");
        return command;
    }

    void link(const std::string& target, std::vector<std::string> command, const std::vector<std::string>& inputs) {
        command.insert(command.end(), inputs.begin(), inputs.end());
        command.insert(command.end(), {"-o", target});
        command = with_libraries(std::move(command));
        ContentHash hash;
        hash.add(compiler_);
        for (const std::string& word : command) hash.add(word);
        for (const std::string& input : inputs) hash.add(content_of(input));
        if (is_up_to_date(target, hash.digits())) return;
        built_.linked = true;
        const ToolResult run = run_tool(command);
        if (!run.output.empty()) say_(run.output);
        if (run.status != 0)
            throw InputError({spec_.path, 0, 0},
                             "the sources cannot be linked to a program; correct what the linker says above");
        remember(target, hash.digits());
    }

    std::string own_object(const std::string& source) {
        const std::vector<std::string> flags = language_and(source, "support_options.txt");
        const Compiled done = compile({source, sources_.size() + own_++, flags, {}}, folder_, compiler_);
        if (done.status == 0) return done.object;
        say_(done.output);
        throw vocabulary::HostError("the support code '" + source + "' cannot be compiled; is the installation whole?");
    }

    void link_module() {
        std::vector<std::string> inputs = objects_;
        std::vector<std::filesystem::path> sources;
        for (const auto& entry : std::filesystem::directory_iterator(support_.support)) {
            const auto extension = entry.path().extension();
            if (extension == ".c" || (extension == ".cpp" && cpp_)) sources.push_back(entry.path());
        }
        std::sort(sources.begin(), sources.end());
        for (const auto& source : sources) inputs.push_back(own_object(source.string()));
        std::vector<std::string> command = {cpp_ ? "g++" : "gcc", "-shared", "-static-libgcc"};
        if (cpp_) command.emplace_back("-static-libstdc++");
        for (const std::string& option : options_in("link_options.txt")) command.push_back(option);
        command.push_back("-Wl,--version-script=" + support_.support + "/program.map");
        const bool before = built_.linked;
        built_.linked = false;
        link(built_.module, command, inputs);
        if (built_.linked || !std::filesystem::exists(std::filesystem::path(built_.module).replace_extension(".blocks")))
            write_block_costs(built_.module);
        built_.linked = built_.linked || before;
    }

    void link_sequential() {
        std::vector<std::string> inputs = objects_;
        inputs.push_back(own_object(support_.sequential));
        link(built_.sequential, {cpp_ ? "g++" : "gcc"}, inputs);
    }

    // Entries that the compiler has put into an object: (bytes, kind, source). The program is not run for it.
    std::vector<std::array<std::uint64_t, 3>> type_entries(const std::string& object) const {
        const std::string file = folder_ + "/types";
        std::filesystem::remove(file);
        run_tool({"objcopy", "-O", "binary", "--only-section=trek_types", object, file});
        const std::string content = content_of(file);
        std::filesystem::remove(file);
        std::vector<std::array<std::uint64_t, 3>> entries(content.size() / sizeof(std::array<std::uint64_t, 3>));
        if (!entries.empty()) std::memcpy(entries.data(), content.data(), entries.size() * sizeof entries[0]);
        return entries;
    }

    // The sizes that the compiler found. Sources that disagree would misread each other's messages.
    void read_types() {
        if (!spec_.task_type && !spec_.result_type) return;
        std::array<std::optional<std::size_t>, 2> from, bytes;
        for (const std::string& object : objects_) {
            for (const auto& [size, kind, source] : type_entries(object)) {
                if (kind > 1 || source >= sources_.size()) continue;
                if (bytes[kind] && *bytes[kind] != size) fail_sizes(kind == 1, *bytes[kind], *from[kind], size, source);
                bytes[kind] = size;
                from[kind] = source;
            }
        }
        built_.task_bytes = bytes[0];
        built_.result_bytes = bytes[1];
    }

    [[noreturn]] void fail_sizes(bool result, std::size_t one, std::size_t in, std::size_t other, std::size_t in_other) const {
        const Word& type = result ? *spec_.result_type : *spec_.task_type;
        throw InputError(type.where, "'" + type.text + "' has " + std::to_string(one) + " bytes in '" + sources_[in].text +
                                         "' and " + std::to_string(other) + " in '" + sources_[in_other].text +
                                         "'; give both the same definition, in a header");
    }

    const Specification& spec_;
    std::function<void(const std::string&)> say_;
    SupportFiles support_;
    std::vector<Word> sources_;
    std::string folder_, compiler_;
    bool cpp_ = false;
    std::vector<std::string> objects_;
    std::size_t own_ = 0;
    Built built_;
};

}  // namespace

Built build(const Specification& spec, const BuildOptions& options) {
    return Builder(spec, options).build();
}

SupportFiles find_support_files() {
    std::string tried;
    std::vector<SupportFiles> places;
    for (const auto& prefix : install_prefixes())
        places.push_back(
            {prefix / "include/magicwire", prefix / "share/magicwire/support", prefix / "share/magicwire/sequential.c"});
    // The source tree of the build.
    places.push_back({MAGICWIRE_SOURCE_FOLDER "/trek_kernel/include", MAGICWIRE_SOURCE_FOLDER "/farm_programs/support",
                      MAGICWIRE_SOURCE_FOLDER "/farm_programs/sequential/sequential.c"});
    for (const SupportFiles& place : places) {
        if (std::filesystem::exists(place.headers + "/trek_kernel/trek.h") && std::filesystem::exists(place.sequential) &&
            std::filesystem::is_directory(place.support)) {
            return {std::filesystem::path(place.headers).lexically_normal().string(),
                    std::filesystem::path(place.support).lexically_normal().string(),
                    std::filesystem::path(place.sequential).lexically_normal().string()};
        }
        tried += (tried.empty() ? "" : " and ") + place.support;
    }
    throw vocabulary::HostError("the headers and support code for programs are not there; tried " + tried);
}

}  // namespace farm_programs
