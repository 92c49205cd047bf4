// The two versions of a source that are run. The logging one runs on the machine. The tracing one, the emulation package of PPD
// (section 3.2), runs when somebody asks. Both are made from copies of one NumberedModule.
#pragma once

#include <memory>
#include <string>

#include "numbered_module.hpp"

namespace flowback_prepare {

// `source`: its number among the program's sources, which the log names.
std::unique_ptr<llvm::Module> logging_version(const NumberedModule& numbered, unsigned source);
std::unique_ptr<llvm::Module> tracing_version(const NumberedModule& numbered);

// Calls of run-time functions, inserted at a place.
class Calls {
public:
    explicit Calls(llvm::Module& module) : module_(module) {}

    llvm::Type* word() const { return llvm::Type::getInt64Ty(module_.getContext()); }
    llvm::Type* number() const { return llvm::Type::getInt32Ty(module_.getContext()); }
    llvm::Type* nothing() const { return llvm::Type::getVoidTy(module_.getContext()); }
    llvm::Value* constant(std::uint64_t value) const { return llvm::ConstantInt::get(word(), value); }
    llvm::Value* small(std::uint64_t value) const { return llvm::ConstantInt::get(number(), value); }

    llvm::CallInst* call(llvm::IRBuilder<>& at, const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
    // An address, or any value of at most 8 bytes, as a word; others give 0.
    llvm::Value* as_word(llvm::IRBuilder<>& at, llvm::Value* value) const;
    std::uint64_t bytes_of(llvm::Type* type) const;
    // A variable of the function's frame for `type`, at its beginning.
    llvm::AllocaInst* room(llvm::Function& function, llvm::Type* type, const char* name) const;
    llvm::AllocaInst* room_for(llvm::Function& function, std::uint64_t bytes, const char* name) const;
    // Bytes of arguments, each at a multiple of 16 bytes, and their places.
    static std::vector<std::uint64_t> places(const std::vector<std::uint64_t>& bytes, std::uint64_t& all);

private:
    llvm::Module& module_;
};

// The function's variables, with is_local() of each before code is inserted that takes their addresses.
std::map<const llvm::AllocaInst*, bool> local_variables(const llvm::Function& function);
// Where instructions of the function's body begin: behind its variables.
llvm::Instruction* after_variables(llvm::Function& function);
bool is_prepared(const NumberedModule& numbered, const llvm::Function& function);

}  // namespace flowback_prepare
