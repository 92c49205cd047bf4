// Compiles and links MPI programs.
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <installed_files/installed_files.hpp>
#include <node_programs/builder.hpp>
#include <user_programs/module_builder.hpp>
#include <user_programs/tools.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "module_output.hpp"

namespace node_programs {

using vocabulary::InputError;

MpiParts find_mpi_parts() {
    MpiParts parts;
    parts.library = installed_files::find_archive("lam/liblam_mpi.a");
    parts.headers = installed_files::find_header_folder("lam_mpi", "trollius_os/lam/include/lam_mpi");
    return parts;
}

user_programs::ModuleParts module_parts() {
    user_programs::ModuleParts parts = parts_of_trollius();
    const MpiParts mpi = find_mpi_parts();
    parts.headers.push_back(mpi.headers);
    parts.archives.push_back(mpi.library);
    return parts;
}

std::vector<std::string> mpi_compile_options(bool cpp) {
    const user_programs::ModuleBuilder builder(".", module_parts(), cpp, {});
    std::vector<std::string> options = builder.user_options(cpp ? "a.cpp" : "a.c");
    options.emplace_back("-U_FORTIFY_SOURCE");  // its checks end in the C library's own printf()
    return options;
}

// The driver adds its shared libraries of C++ and of exceptions at the end. A module must not have them, so their archives come
// first, and then they are not needed any more.
MpiLinkWords mpi_link_words(bool cpp) {
    const user_programs::ModuleParts parts = parts_of_trollius();
    MpiLinkWords words{.options = {"-Wl,-shared"}, .archives = {find_mpi_parts().library}};
    std::istringstream lines(user_programs::content_of(parts.common + "/link_options.txt"));
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) words.options.push_back(line);
    }
    for (const std::string& option : {std::string("-Wl,-z,defs"), std::string("-Wl,--as-needed"),
                                      "-Wl,--version-script=" + parts.own + "/program.map", "-Wl," + parts.compiled})
        words.options.push_back(option);
    if (cpp) words.options.push_back("-Wl," + parts.compiled_cpp);
    for (const char* archive : {"libstdc++.a", "libgcc_eh.a"}) {
        if (!cpp && std::string(archive) == "libstdc++.a") continue;
        std::string path = user_programs::run_tool({cpp ? "g++" : "gcc", std::string("-print-file-name=") + archive}).output;
        while (!path.empty() && path.back() == '\n') path.pop_back();
        words.archives.push_back(path);
    }
    words.archives.emplace_back("-lm");
    return words;
}

void link_mpi(const Objects& objects) {
    const auto say = objects.say ? objects.say : [](const std::string& text) { std::fputs(text.c_str(), stderr); };
    user_programs::ModuleBuilder builder(objects.folder, module_parts(), objects.cpp, say);
    std::vector<std::string> options = objects.options;
    options.emplace_back("-Wl,-z,defs");  // a function that is missing is told now, not when the program is loaded
    bool anew = false;
    const std::string module = objects.folder + "/module";
    if (!builder.link_module(module, objects.files, options, anew))
        throw InputError({objects.output, 0, 0}, "the program cannot be linked; correct what the linker says above");
    if (!has_main(module))
        throw InputError({objects.output, 0, 0}, "the program has no function main(); write it, or add its file");
    put_module(module, objects.output);
}

}  // namespace node_programs
