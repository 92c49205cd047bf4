// NumberedModule: a source's code, normalised, with its functions classified and its sites numbered. The logging and the
// tracing version are made from copies of it, so that they agree on every number.
//
// A site is a place of the code that the tracing version reports. SiteKind lists the kinds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <flowback_log/library_calls.hpp>

#include "llvm.hpp"

namespace flowback_prepare {

using flowback_log::Effect;
using flowback_log::effect_of;
using flowback_log::format_argument;

enum class FunctionKind : int {
    Outside = 0,    // not prepared; calls of it are taken as calls of a library
    EBlock = 1,     // logs its own interval
    Inherited = 2,  // its caller logs for it (Miller and Choi 1988, section 5.4)
};

enum class SiteKind : int { Statement, Load, Store, Copy, Fill, Call, Branch, Return, Variable };

struct FunctionInfo {
    std::uint32_t id = 0;
    FunctionKind kind = FunctionKind::Outside;
    std::string why_outside;
};

// All: every function is an e-block. Leaves: but those that call nothing prepared. Auto: and those that call only functions
// that are inherited themselves, if they have no loop or are recursive. Roots: only those that somebody else calls than a
// prepared function by name.
enum class Policy { All, Leaves, Auto, Roots };
Policy policy_of(const std::string& name);  // "all", "leaves", "roots"; anything else is Auto

// Numbers begin behind those of the sources that were prepared before.
struct FirstNumbers {
    std::uint32_t function = 1, site = 1, global = 0;
};

class NumberedModule {
public:
    // `elsewhere`: functions that other sources of the program define and that are prepared.
    NumberedModule(std::unique_ptr<llvm::Module> module, Policy policy, FirstNumbers first, std::set<std::string> elsewhere);

    llvm::Module& module() const { return *module_; }
    const FunctionInfo& info(const llvm::Function& function) const { return functions_.at(function.getName().str()); }
    bool is_prepared_elsewhere(const llvm::Function& function) const { return elsewhere_.count(function.getName().str()) != 0; }
    bool is_defined(const llvm::Function& function) const { return functions_.count(function.getName().str()) != 0; }
    // Variables with storage, then functions: the numbers of their addresses in the log.
    const std::vector<std::string>& globals() const { return globals_; }
    FirstNumbers first() const { return first_; }

private:
    void normalise(llvm::Function& function);
    static void forget_purity(llvm::Function& function);
    void classify(Policy policy);
    bool is_small(const llvm::Function& function, Policy policy) const;
    void number();

    std::unique_ptr<llvm::Module> module_;
    FirstNumbers first_;
    std::set<std::string> elsewhere_;
    std::map<std::string, FunctionInfo> functions_;  // by name in the object file; those with a body
    std::vector<std::string> globals_;
};

// Names of the functions that other sources can call, and that can be prepared.
std::vector<std::string> prepared_names(const llvm::Module& module);
// Number of a site; 0: the instruction is none.
std::uint32_t site_of(const llvm::Instruction& instruction);
SiteKind kind_of(const llvm::Instruction& instruction);
// The beginning of a statement is a site of its own, before the instruction; 0: none begins here.
std::uint32_t statement_of(const llvm::Instruction& instruction);

// Only loads, stores and copies at constant places reach the variable, so its values follow from the code alone.
bool is_local(const llvm::AllocaInst& variable);
// The variable that a pointer leads to by constant steps; null: another place.
const llvm::AllocaInst* local_variable(const llvm::Value* pointer);

// The callee; null: a pointer, or code of an assembler.
llvm::Function* callee_of(const llvm::CallBase& call);
// A call that both versions treat as a call: no intrinsic.
bool is_real_call(const llvm::Instruction& instruction);
bool is_inherited_call(const llvm::Instruction& instruction, const NumberedModule& of);
Effect effect_of_call(const llvm::CallBase& call, const NumberedModule& of);

}  // namespace flowback_prepare
