// NAME.prepared: the program database (PPD, section 3.2), an SQLite file that docs/formats/prepared.md describes.
#pragma once

#include <memory>
#include <string>

#include "initial_values.hpp"
#include "numbered_module.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace flowback_prepare {

class Database {
public:
    // Opens the file, and makes its tables when it is new. Throws std::runtime_error.
    explicit Database(const std::string& path);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    FirstNumbers next_numbers();
    // `path`, `text`: of the source. Adds everything of it in one transaction.
    void add_source(unsigned number, const std::string& path, const NumberedModule& numbered);
    void set(const std::string& key, const std::string& value);
    void add_module(const std::string& name, const std::string& file);

private:
    class Row;
    void run(const char* text);
    std::uint32_t number(const char* query);
    void add_functions(unsigned source, const NumberedModule& numbered);
    void add_function(llvm::Function& function, const FunctionInfo& info, const NumberedModule& numbered);
    void add_variables(unsigned source, const NumberedModule& numbered);
    void add_relocations(std::uint32_t id, const InitialValue& initial, const NumberedModule& numbered);
    void add_locals(llvm::Function& function, const FunctionInfo& info);
    int file_of(const llvm::DIScope* scope);
    int scope_of(const llvm::DIScope* scope);
    int type_of(const llvm::DIType* type);
    int new_type(const char* kind, const std::string& name, std::uint64_t bytes, int base, std::int64_t count);
    int array_of(const llvm::DICompositeType& type);
    void add_members(int id, const llvm::DICompositeType& type);

    sqlite3* database_ = nullptr;
    std::map<const llvm::DIType*, int> types_;
    std::map<std::string, int> files_;
    std::map<const llvm::DIScope*, int> scopes_;
};

}  // namespace flowback_prepare
