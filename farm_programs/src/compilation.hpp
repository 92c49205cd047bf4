// One source to one object, unless the object is that of this source, these headers, this command and this compiler already.
#pragma once

#include <string>
#include <vector>

namespace farm_programs {

struct TypeCheck {
    bool result = false;  // result_type; else task_type
    std::string type;     // as C writes it
    std::string file;     // of the specification, and the line of the type there: where the compiler's complaints point
    int line = 0;
};

struct Compilation {
    std::string source;
    std::size_t number = 0;             // of the source; names the object and its entries
    std::vector<std::string> flags;     // beside -c, -o and the language
    std::vector<TypeCheck> types = {};  // whose sizes go into the object (sequential/sequential.c reads them)
};

struct Compiled {
    std::string object;
    bool anew = false;
    int status = 0;
    std::string output;  // of the compiler
};

bool is_cpp(const std::string& source);
// `compiler`: what it says of its version. Throws vocabulary::InputError when the folder cannot be written.
Compiled compile(const Compilation& step, const std::string& folder, const std::string& compiler);

// Whether `target` was made by this command from these inputs; remember() says that it was.
bool is_up_to_date(const std::string& target, const std::string& key);
void remember(const std::string& target, const std::string& key);

}  // namespace farm_programs
