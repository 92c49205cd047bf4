// PreparedProgram: NAME.prepared, the program database that `magicwire prepare` made (docs/formats/prepared.md), read whole.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tmon_flowback {

enum class SiteKind : std::uint8_t { Statement, Load, Store, Copy, Fill, Call, Branch, Return, Variable };
enum class FunctionKind : std::uint8_t { Outside, EBlock, Inherited };
enum class ValueKind : std::uint8_t { None, Whole, Floating, Address, Bytes };

inline constexpr int inherited_call = -1;  // Site::effect of a call that the tracing version runs itself

struct Operand {
    static constexpr int value = 0, address = 1, argument = 2;  // roles; argument + n: argument n
    int role = value;
    std::uint32_t site = 0;  // 0: parameter
    int parameter = -1;
};

struct Site {
    std::uint32_t function = 0;
    SiteKind kind = SiteKind::Statement;
    int file = 0, line = 0, column = 0, block = 0;
    std::uint64_t bytes = 0;
    ValueKind value = ValueKind::None;
    std::string callee;
    int effect = 0;  // of a load: 1 when nothing reads its value, as it keeps the rest of a bit field
    int scope = 0;
    // A load: the bits of the word that are used, or that the statement sets (effect 1). A call: a bit for each argument that
    // is a pointer.
    std::uint64_t bits = 0;
    bool quiet = false;     // an access that the log leaves out, since its place is known
    bool two_ways = false;  // a branch on true and false; else a switch
    std::vector<Operand> operands;
};

struct FunctionEntry {
    std::string name, symbol, why_outside;
    int file = 0, line = 0;
    FunctionKind kind = FunctionKind::Outside;
    bool takes_structures = false;                         // by value, through memory
    std::uint32_t global = 0;                              // number of its address
    std::map<int, std::vector<std::uint32_t>> deciders{};  // by block: branches that decide about it
    // By block and branch: the way of the branch that leads there. 0 is that of true, -1: several do.
    std::map<std::pair<int, std::uint32_t>, int> ways{};
};

struct Type {
    std::string kind, name;  // kind: signed, unsigned, char, unsigned_char, bool, float, pointer, struct, union, array, other
    std::uint64_t bytes = 0;
    int base = 0;            // of a pointer or an array
    std::int64_t count = 0;  // of an array
    struct Member {
        std::string name;
        std::uint64_t offset = 0;
        int type = 0;
    };
    std::vector<Member> members;
};

struct Global {
    std::string name, symbol;
    std::uint64_t bytes = 0;
    int type = 0, file = 0, line = 0;
    bool constant = false;
    bool known = false;  // its initial value is; empty bytes: all zero
    std::string initial;
    struct Relocation {
        std::uint64_t offset = 0;
        std::uint32_t target = 0;
        std::int64_t addend = 0;
    };
    std::vector<Relocation> relocations;
    int scope = 0;
    std::uint32_t source = 0;
    bool outside = false;  // other sources see it
};

struct LocalVariable {
    std::uint32_t site = 0, function = 0;
    std::string name;
    int type = 0, file = 0, line = 0, scope = 0;
    int parameter = 0;  // 1 and up: it is one
};

struct SourceFile {
    std::string path;
    std::vector<std::string> lines;
};

class PreparedProgram {
public:
    // Throws vocabulary::InputError when the file cannot be read or is none of these.
    explicit PreparedProgram(const std::string& path);

    const Site& site(std::uint32_t id) const;  // an empty one when there is none
    // The kind of a site alone, for passes over many events.
    SiteKind kind(std::uint32_t id) const { return id < kinds_.size() ? kinds_[id] : SiteKind::Statement; }
    const FunctionEntry& function(std::uint32_t id) const;
    bool has_site(std::uint32_t id) const { return id < sites_.size() && sites_[id].function != 0; }
    bool has_function(std::uint32_t id) const { return id < functions_.size() && !functions_[id].name.empty(); }
    const std::vector<Site>& sites() const { return sites_; }
    const std::vector<FunctionEntry>& functions() const { return functions_; }
    const std::vector<Global>& globals() const { return globals_; }  // index: number
    const std::vector<LocalVariable>& variables() const { return variables_; }
    const Type& type(int id) const;
    // First global number of a source, since a log's addresses are in that order.
    std::uint32_t first_global(std::uint32_t source) const;
    int scope_around(int scope) const;  // 0: the file
    std::uint32_t source_of(std::uint32_t function) const { return function_sources_[function]; }
    const LocalVariable* variable_of(std::uint32_t site) const;
    const std::map<int, SourceFile>& files() const { return files_; }
    std::string file_name(int file) const;          // without folders
    std::string text_of(int file, int line) const;  // trimmed; empty: there is none
    std::string place(const Site& site) const;      // "pi.c:42"

    // A module that the file carries: "logging.so", "logging.blocks", "tracing.so".
    const std::string& module(const std::string& name) const;
    const std::string& digest() const { return digest_; }  // of the logging version
    const std::string& blocks() const { return blocks_; }  // how e-blocks were chosen: "auto"
    bool has_constructors() const { return constructors_; }

private:
    void read_files(void* database);
    void read_functions(void* database);
    void read_sites(void* database);
    void read_types(void* database);
    void read_variables(void* database);

    std::string path_, digest_, blocks_;
    std::vector<Site> sites_;
    std::vector<SiteKind> kinds_;
    std::vector<int> scopes_;                      // by number: the scope around it
    std::vector<std::uint32_t> function_sources_;  // by function
    std::vector<FunctionEntry> functions_;
    std::vector<Global> globals_;
    std::map<std::uint32_t, std::uint32_t> first_globals_;
    std::vector<LocalVariable> variables_;
    std::map<std::uint32_t, std::size_t> variable_at_;
    std::map<int, SourceFile> files_;
    std::vector<Type> types_;
    std::map<std::string, std::string> modules_;
    bool constructors_ = false;
};

}  // namespace tmon_flowback
