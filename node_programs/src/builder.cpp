#include <node_programs/builder.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <user_programs/module_builder.hpp>
#include <vocabulary/source_position.hpp>

#include "module_output.hpp"

namespace node_programs {
namespace {

namespace fs = std::filesystem;
using vocabulary::InputError;

std::string folder_for(const Sources& sources) {
    const fs::path output(sources.output);
    const fs::path folder = sources.folder.empty() ? output.parent_path() / "build" / output.stem() : fs::path(sources.folder);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw InputError({folder.string(), 0, 0},
                         "the folder cannot be created: " + error.message() + "; choose another with --build");
    return folder.string();
}

}  // namespace

std::vector<std::string> build(const Sources& sources) {
    const auto say = sources.say ? sources.say : [](const std::string& text) { std::fputs(text.c_str(), stderr); };
    for (const std::string& file : sources.files) {
        std::error_code error;
        if (!fs::is_regular_file(file, error)) throw InputError({file, 0, 0}, "there is no source file of this name");
    }
    std::error_code error;
    if (fs::is_directory(sources.output, error))
        throw InputError({sources.output, 0, 0}, "is a folder; name the program otherwise, with -o");
    const std::string folder = folder_for(sources);
    const user_programs::BuildLock lock(folder);
    const bool cpp = std::any_of(sources.files.begin(), sources.files.end(), user_programs::is_cpp);
    user_programs::ModuleBuilder builder(folder, parts_of_trollius(), cpp, say);
    std::vector<std::string> objects, compiled;
    for (std::size_t i = 0; i < sources.files.size(); ++i) {
        const user_programs::Compiled done = builder.compile_user(sources.files[i], i, sources.options);
        if (done.status != 0)
            throw InputError({sources.files[i], 0, 0}, "cannot be compiled; correct what the compiler says above");
        if (done.anew) compiled.push_back(sources.files[i]);
        objects.push_back(done.object);
    }
    bool anew = false;
    const std::string module = folder + "/module";
    if (!builder.link_module(module, objects, sources.options, anew))
        throw InputError({sources.output, 0, 0},
                         "the sources cannot be linked to a program; correct what the linker says above");
    if (!has_main(module))
        throw InputError({sources.output, 0, 0}, "the sources have no function main(); write it, or add its file");
    put_module(module, sources.output);
    return compiled;
}

}  // namespace node_programs
