// Compiles and links MPI programs.
#include <cstdio>

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
    parts.library = user_programs::find_archive("lam/liblam_mpi.a");
    parts.headers = user_programs::find_header_folder("lam_mpi", "trollius_os/lam/include/lam_mpi");
    return parts;
}

std::vector<std::string> mpi_compile_options(bool cpp) {
    user_programs::ModuleParts parts = parts_of_trollius();
    parts.headers.push_back(find_mpi_parts().headers);
    const user_programs::ModuleBuilder builder(".", parts, cpp, {});
    std::vector<std::string> options = builder.user_options(cpp ? "a.cpp" : "a.c");
    options.emplace_back("-U_FORTIFY_SOURCE");  // its checks end in the C library's own printf()
    return options;
}

void link_mpi(const Objects& objects) {
    const auto say = objects.say ? objects.say : [](const std::string& text) { std::fputs(text.c_str(), stderr); };
    user_programs::ModuleParts parts = parts_of_trollius();
    parts.archives.push_back(find_mpi_parts().library);
    user_programs::ModuleBuilder builder(objects.folder, parts, objects.cpp, say);
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
