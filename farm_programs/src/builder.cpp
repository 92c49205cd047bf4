#include <farm_programs/builder.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include <user_programs/elf_symbols.hpp>
#include <user_programs/module_builder.hpp>
#include <user_programs/tools.hpp>
#include <vocabulary/errors.hpp>

namespace farm_programs {
namespace {

using user_programs::Compiled;
using user_programs::content_of;
using user_programs::ElfSymbol;
using user_programs::global_symbols;
using user_programs::is_cpp;
using user_programs::run_tool;
using user_programs::SymbolTable;
using user_programs::TypeCheck;
using vocabulary::InputError;

std::string folder_of(const Specification& spec, const std::string& wanted) {
    const std::filesystem::path beside = std::filesystem::path(spec.path).parent_path() / "build" / spec.name;
    return wanted.empty() ? beside.string() : wanted;
}

class Builder {
public:
    Builder(const Specification& spec, const BuildOptions& options)
        : spec_(spec), say_(options.say), support_(find_support_files()), sources_(spec.all_sources()) {
        if (!say_) say_ = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
        folder_ = folder_of(spec, options.folder);
        cpp_ = std::any_of(sources_.begin(), sources_.end(), [](const Word& word) { return is_cpp(word.text); });
    }

    Built build() {
        std::error_code error;
        std::filesystem::create_directories(folder_, error);
        if (error)
            throw InputError({folder_, 0, 0},
                             "the folder cannot be created: " + error.message() + "; choose another with --build");
        const user_programs::BuildLock lock(folder_);
        builder_.emplace(folder_, support_.module, cpp_, say_);
        for (std::size_t i = 0; i < sources_.size(); ++i) objects_.push_back(user_object(i));
        built_.module = module_path(spec_, folder_);
        built_.sequential = folder_ + "/" + spec_.name + ".sequential";
        check_functions();
        link_module();
        link_sequential();
        read_types();
        return std::move(built_);
    }

private:
    std::string user_object(std::size_t number) {
        const Word& source = sources_[number];
        std::vector<std::string> options;
        for (const std::string& folder : spec_.folders) options.push_back("-I" + folder);
        options.insert(options.end(), spec_.options.begin(), spec_.options.end());
        const Compiled done = builder_->compile_user(source.text, number, options, types_of(source.text));
        if (done.anew) built_.compiled.push_back(source.text);
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
            for (const ElfSymbol& symbol : global_symbols(objects_[i], SymbolTable::Static)) {
                if (symbol.defined) defined[sources_[i].text].insert(symbol.name);
                if (symbol.name.starts_with("work_")) built_.charges = true;
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

    [[noreturn]] void fail_link() const {
        throw InputError({spec_.path, 0, 0}, "the sources cannot be linked to a program; correct what the linker says above");
    }

    void link_module() {
        bool anew = false;
        if (!builder_->link_module(built_.module, objects_, spec_.options, anew)) fail_link();
        built_.linked = built_.linked || anew;
    }

    void link_sequential() {
        std::vector<std::string> inputs = objects_;
        inputs.push_back(builder_->compile_own(support_.sequential));
        bool anew = false;
        if (!builder_->link(built_.sequential, {builder_->driver()}, inputs, spec_.options, anew)) fail_link();
        built_.linked = built_.linked || anew;
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
    std::string folder_;
    bool cpp_ = false;
    std::optional<user_programs::ModuleBuilder> builder_;
    std::vector<std::string> objects_;
    Built built_;
};

}  // namespace

std::string module_path(const Specification& spec, const std::string& folder) {
    return folder_of(spec, folder) + "/" + spec.name + ".so";
}

Built build(const Specification& spec, const BuildOptions& options) {
    return Builder(spec, options).build();
}

SupportFiles find_support_files() {
    user_programs::ModuleParts module =
        user_programs::find_module_parts("trek", "farm_programs/support", "trek_kernel/include");
    const std::filesystem::path own(module.own);
    // In an installation beside the folder of all support code, else in the source tree.
    for (const auto& file : {own / "../../sequential.c", own / "../sequential/sequential.c"}) {
        if (std::filesystem::exists(file)) return {std::move(module), file.lexically_normal().string()};
    }
    throw vocabulary::HostError("the source for sequential programs is not beside '" + module.own + "'");
}

}  // namespace farm_programs
