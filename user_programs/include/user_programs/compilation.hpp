// Compiles one source to one object, unless an object of this source, these headers, this command and this compiler exists.
#pragma once

#include <string>
#include <vector>

namespace user_programs {

struct TypeCheck {
    bool result = false;  // true for result_type, false for task_type
    std::string type;     // as C writes it
    std::string file;     // the specification and the type's line there, for the compiler's messages
    int line = 0;
};

struct Compilation {
    std::string source;
    std::size_t number = 0;             // number of the source; part of the names of the object and its entries
    std::vector<std::string> flags;     // besides -c, -o and the language
    std::vector<TypeCheck> types = {};  // their sizes go into the object (sequential/sequential.c reads them)
};

struct Compiled {
    std::string object;
    bool anew = false;
    int status = 0;
    std::string output;  // output of the compiler
};

bool is_cpp(const std::string& source);
// `compiler`: version text of the compiler. Throws vocabulary::InputError when the folder cannot be written.
Compiled compile(const Compilation& step, const std::string& folder, const std::string& compiler);

// True when this command made `target` from these inputs; remember() records that it did.
bool is_up_to_date(const std::string& target, const std::string& key);
void remember(const std::string& target, const std::string& key);

}  // namespace user_programs
