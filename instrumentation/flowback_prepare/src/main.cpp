// magicwire-flowback-prepare: the part of `magicwire prepare` that needs LLVM. It reads a source as clang 14 has compiled it,
// without optimisation and with debug information. It writes the logging and the tracing version, and rows of the database.
//
//   magicwire-flowback-prepare BITCODE DATABASE SOURCE-NUMBER SOURCE-PATH all|leaves|auto|roots LOG-BITCODE TRACE-BITCODE NAMES
//
// It prints the names of functions that other sources can call and that can be prepared:
//   magicwire-flowback-prepare names BITCODE ...
//
// It puts modules into the database:
//   magicwire-flowback-prepare store DATABASE DIGEST NAME FILE NAME FILE ...
//
// Exit codes: 0, or 2 with a message.
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <string>

#include "database.hpp"
#include "versions.hpp"

namespace {

bool write(const llvm::Module& module, const std::string& path) {
    std::string problem;
    llvm::raw_string_ostream text(problem);
    if (llvm::verifyModule(module, &text)) {
        std::fprintf(stderr, "a version of the source is not valid code: %s\n", text.str().c_str());
        return false;
    }
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (error) {
        std::fprintf(stderr, "%s cannot be written: %s\n", path.c_str(), error.message().c_str());
        return false;
    }
    llvm::WriteBitcodeToFile(module, file);
    return true;
}

int print_names(int count, char** words) {
    for (int i = 2; i < count; ++i) {
        llvm::LLVMContext context;
        llvm::SMDiagnostic problem;
        const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(words[i], problem, context);
        if (module == nullptr) return 2;
        for (const std::string& name : flowback_prepare::prepared_names(*module)) std::printf("%s\n", name.c_str());
    }
    return 0;
}

std::set<std::string> names_in(const char* path) {
    std::set<std::string> names;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) names.insert(line);
    return names;
}

int prepare(char** words) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseIRFile(words[1], problem, context);
    if (module == nullptr) {
        std::fprintf(stderr, "%s cannot be read: %s\n", words[1], problem.getMessage().str().c_str());
        return 2;
    }
    const auto source = static_cast<unsigned>(std::stoul(words[3]));
    const std::string policy = words[5];
    flowback_prepare::Database database(words[2]);
    database.set("e_blocks", policy);
    const flowback_prepare::NumberedModule numbered(std::move(module), flowback_prepare::policy_of(policy),
                                                    database.next_numbers(), names_in(words[8]));
    database.add_source(source, words[4], numbered);
    if (!write(*flowback_prepare::logging_version(numbered, source), words[6])) return 2;
    return write(*flowback_prepare::tracing_version(numbered), words[7]) ? 0 : 2;
}

}  // namespace

int main(int count, char** words) {
    if (count >= 4 && std::string(words[1]) == "store") {
        try {
            flowback_prepare::Database database(words[2]);
            database.set("digest", words[3]);
            for (int i = 4; i + 1 < count; i += 2) database.add_module(words[i], words[i + 1]);
            return 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            return 2;
        }
    }
    if (count >= 3 && std::string(words[1]) == "names") return print_names(count, words);
    if (count != 9) {
        std::fprintf(stderr,
                     "usage: magicwire-flowback-prepare BITCODE DATABASE SOURCE-NUMBER SOURCE-PATH all|leaves|auto|roots LOG "
                     "TRACE NAMES\n"
                     "`magicwire prepare` calls it.\n");
        return 2;
    }
    try {
        return prepare(words);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
