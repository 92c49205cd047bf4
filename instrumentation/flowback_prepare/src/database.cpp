#include "database.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "bit_fields.hpp"
#include "dependences.hpp"
#include "quiet_accesses.hpp"

namespace flowback_prepare {

using namespace llvm;

namespace {

constexpr const char* tables = R"(
create table if not exists meta(key text primary key, value text);
create table if not exists files(id integer primary key, path text, text blob);
create table if not exists functions(id integer primary key, source integer, name text, symbol text, file integer,
    line integer, kind integer, why_outside text, parameters integer, global integer, structures integer);
create table if not exists sites(id integer primary key, function integer, kind integer, file integer, line integer,
    column_ integer, block integer, bytes integer, value_kind integer, callee text, effect integer, scope integer, bits integer, quiet integer);
create table if not exists scopes(id integer primary key, parent integer);
create table if not exists operands(site integer, role integer, operand integer, parameter integer);
create table if not exists controls(function integer, block integer, branch integer, way integer);
create table if not exists types(id integer primary key, kind text, name text, bytes integer, base integer, count integer);
create table if not exists members(type integer, name text, offset integer, member integer);
create table if not exists globals(id integer primary key, source integer, name text, symbol text, bytes integer,
    type integer, file integer, line integer, constant integer, known integer, initial blob, scope integer,
    outside integer);
create table if not exists relocations(global integer, offset integer, target integer, addend integer);
create table if not exists variables(site integer, function integer, name text, type integer, file integer, line integer,
    scope integer, parameter integer);
create table if not exists modules(name text primary key, content blob);
)";

// How a site's value is shown: 0 none, 1 whole number, 2 floating point, 3 address, 4 bytes.
int value_kind(const Type* type) {
    if (type == nullptr || type->isVoidTy()) return 0;
    if (type->isIntegerTy()) return 1;
    if (type->isFloatTy() || type->isDoubleTy()) return 2;
    if (type->isPointerTy()) return 3;
    return 4;
}

const Type* type_of_site(const Instruction& site) {
    if (const auto* store = dyn_cast<StoreInst>(&site)) return store->getValueOperand()->getType();
    if (const auto* end = dyn_cast<ReturnInst>(&site))
        return end->getReturnValue() == nullptr ? nullptr : end->getReturnValue()->getType();
    if (const auto* variable = dyn_cast<AllocaInst>(&site)) return variable->getAllocatedType();
    if (isa<BranchInst>(site) || isa<SwitchInst>(site)) return nullptr;
    return site.getType();
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A bit for each argument of a call that is a pointer.
std::uint64_t pointers_of(const Instruction& call) {
    std::uint64_t pointers = 0;
    const auto* its = dyn_cast<CallBase>(&call);
    for (unsigned i = 0; its != nullptr && i < std::min(its->arg_size(), 64U); ++i) {
        if (its->getArgOperand(i)->getType()->isPointerTy()) pointers |= std::uint64_t{1} << i;
    }
    return pointers;
}

}  // namespace

// One row to be added; columns in their order.
class Database::Row {
public:
    Row(sqlite3* database, const char* text) : database_(database) {
        if (sqlite3_prepare_v2(database, text, -1, &statement_, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(database));
    }
    ~Row() { sqlite3_finalize(statement_); }
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;
    Row& operator<<(std::int64_t value) {
        sqlite3_bind_int64(statement_, ++column_, value);
        return *this;
    }
    Row& operator<<(const std::string& value) {
        sqlite3_bind_text(statement_, ++column_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
        return *this;
    }
    void add() {
        if (sqlite3_step(statement_) != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(database_));
        sqlite3_reset(statement_);
        column_ = 0;
    }

private:
    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
    int column_ = 0;
};

Database::Database(const std::string& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) throw std::runtime_error(path + " cannot be written");
    run("pragma synchronous = off");
    run(tables);
}
Database::~Database() {
    sqlite3_close(database_);
}

void Database::run(const char* text) {
    if (sqlite3_exec(database_, text, nullptr, nullptr, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(database_));
}

std::uint32_t Database::number(const char* query) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, query, -1, &statement, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(database_));
    const auto result = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return static_cast<std::uint32_t>(result);
}

FirstNumbers Database::next_numbers() {
    return {number("select coalesce(max(id), 0) + 1 from functions"), number("select coalesce(max(id), 0) + 1 from sites"),
            number("select coalesce(max(id), 0) + 1 from globals")};
}

void Database::set(const std::string& key, const std::string& value) {
    Row row(database_, "insert or replace into meta values (?, ?)");
    row << key << value;
    row.add();
}

void Database::add_module(const std::string& name, const std::string& file) {
    const std::string bytes = content(file);
    if (bytes.empty()) throw std::runtime_error(file + " cannot be read");
    Row row(database_, "insert or replace into modules values (?, ?)");
    row << name << bytes;
    row.add();
}

void Database::add_source(unsigned source, const std::string& path, const NumberedModule& numbered) {
    run("begin");
    set("source " + std::to_string(source), path);
    set("format", "magicwire prepared program 3");
    if (numbered.module().getNamedGlobal("llvm.global_ctors") != nullptr) set("constructors", "yes");
    add_variables(source, numbered);
    add_functions(source, numbered);
    run("commit");
}

int Database::file_of(const DIScope* scope) {
    if (scope == nullptr || scope->getFile() == nullptr) return 0;
    std::filesystem::path path = scope->getFilename().str();
    if (path.is_relative()) path = std::filesystem::path(scope->getDirectory().str()) / path;
    const std::string name = path.lexically_normal().string();
    const auto [at, is_new] = files_.try_emplace(name, 0);
    if (!is_new) return at->second;
    at->second = static_cast<int>(number("select coalesce(max(id), 0) + 1 from files"));
    Row row(database_, "insert into files values (?, ?, ?)");
    row << at->second << name << content(name);
    row.add();
    return at->second;
}

// A scope and those around it, up to namespaces and classes. 0: the file.
int Database::scope_of(const DIScope* scope) {
    while (scope != nullptr && isa<DILexicalBlockFile>(scope)) scope = cast<DILexicalBlockFile>(scope)->getScope();
    if (scope == nullptr || isa<DIFile>(scope) || isa<DICompileUnit>(scope)) return 0;
    if (const auto found = scopes_.find(scope); found != scopes_.end()) return found->second;
    const DIScope* around = scope->getScope();
    if (const auto* function = dyn_cast<DISubprogram>(scope); function != nullptr && function->getDeclaration() != nullptr)
        around = function->getDeclaration()->getScope();
    const int parent = scope_of(around);
    const int id = static_cast<int>(number("select coalesce(max(id), 0) + 1 from scopes"));
    Row row(database_, "insert into scopes values (?, ?)");
    row << id << parent;
    row.add();
    return scopes_[scope] = id;
}

// Every name of the object file has a number; numbers go on where NumberedModule::globals() does.
void Database::add_variables(unsigned source, const NumberedModule& numbered) {
    Row row(database_, "insert into globals values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    std::uint32_t id = numbered.first().global;
    const DataLayout& layout = numbered.module().getDataLayout();
    for (const std::string& name : numbered.globals()) {
        const auto* variable = numbered.module().getGlobalVariable(name, true);
        std::uint64_t bytes = 0;
        std::string shown = name;
        int type = 0, file = 0, scope = 0;
        unsigned line = 0;
        if (variable != nullptr) {
            bytes = layout.getTypeAllocSize(variable->getValueType()).getFixedSize();
            SmallVector<DIGlobalVariableExpression*, 1> told;
            variable->getDebugInfo(told);
            if (!told.empty()) {
                const DIGlobalVariable* its = told.front()->getVariable();
                shown = its->getName().str();
                type = type_of(its->getType());
                file = file_of(its->getFile());
                line = its->getLine();
                scope = scope_of(its->getScope());
            }
        }
        const InitialValue initial = variable == nullptr ? InitialValue{false, {}, {}} : initial_value(*variable);
        add_relocations(id, initial, numbered);
        row << id++ << source << shown << name << static_cast<std::int64_t>(bytes) << type << file << line
            << (variable != nullptr && variable->isConstant() ? 1 : 0) << (initial.known ? 1 : 0) << initial.bytes << scope
            << (variable != nullptr && variable->hasLocalLinkage() ? 0 : 1);
        row.add();
    }
}

void Database::add_relocations(std::uint32_t id, const InitialValue& initial, const NumberedModule& numbered) {
    Row row(database_, "insert into relocations values (?, ?, ?, ?)");
    const auto& names = numbered.globals();
    for (const Relocation& each : initial.relocations) {
        const auto found = std::find(names.begin(), names.end(), each.target);
        const auto target = found == names.end() ? 0 : (found - names.begin()) + numbered.first().global;
        row << id << static_cast<std::int64_t>(each.offset) << target << each.addend;
        row.add();
    }
}

void Database::add_functions(unsigned source, const NumberedModule& numbered) {
    Row row(database_, "insert into functions values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (Function& function : numbered.module()) {
        if (function.isDeclaration()) continue;
        const FunctionInfo& info = numbered.info(function);
        const DISubprogram* told = function.getSubprogram();
        const auto& names = numbered.globals();
        const auto found = std::find(names.begin(), names.end(), function.getName().str());
        row << info.id << source << (told == nullptr ? function.getName().str() : told->getName().str())
            << function.getName().str() << (told == nullptr ? 0 : file_of(told)) << (told == nullptr ? 0 : told->getLine())
            << static_cast<int>(info.kind) << info.why_outside << static_cast<std::int64_t>(function.arg_size())
            << (found == names.end() ? 0 : (found - names.begin()) + numbered.first().global)
            << (any_of(function.args(), [](const Argument& each) { return each.hasByValAttr(); }) ? 1 : 0);
        row.add();
        if (info.kind == FunctionKind::Outside) continue;
        add_function(function, info, numbered);
        add_locals(function, info);
        Row call(database_, "update sites set callee = ?, effect = ? where id = ?");
        for (const Instruction& each : instructions(function)) {
            if (!is_real_call(each)) continue;
            const auto& its = cast<CallBase>(each);
            const Function* callee = callee_of(its);
            const bool inherited = is_inherited_call(each, numbered);
            call << (callee == nullptr ? std::string() : callee->getName().str())
                 << (inherited ? -1 : static_cast<int>(effect_of_call(its, numbered))) << site_of(each);
            call.add();
        }
    }
}

void Database::add_function(Function& function, const FunctionInfo& info, const NumberedModule& numbered) {
    Row site(database_, "insert into sites values (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?)");
    Row operand(database_, "insert into operands values (?, ?, ?, ?)");
    Row control(database_, "insert into controls values (?, ?, ?, ?)");
    const DataLayout& layout = function.getParent()->getDataLayout();
    const auto decided = deciders(function);
    const std::set<std::uint32_t> quiet = quiet_accesses(function, numbered);
    int block_number = 0;
    for (BasicBlock& block : function) {
        ++block_number;
        if (const auto found = decided.find(&block); found != decided.end()) {
            for (const Decider& each : found->second) {
                control << info.id << block_number << each.branch << each.way;
                control.add();
            }
        }
        for (Instruction& each : block) {
            const DILocation* place = each.getDebugLoc().get();
            const int file = place == nullptr ? 0 : file_of(place->getScope());
            const unsigned line = place == nullptr ? 0 : place->getLine(), column = place == nullptr ? 0 : place->getColumn();
            const auto put = [&](std::uint32_t id, SiteKind kind, const Type* type) {
                const std::uint64_t bytes =
                    type == nullptr || type->isVoidTy() ? 0 : layout.getTypeStoreSize(const_cast<Type*>(type)).getFixedSize();
                const auto* load = dyn_cast<LoadInst>(&each);
                const bool is_switch = kind == SiteKind::Branch && isa<SwitchInst>(each);
                const bool keeps = is_switch || (kind == SiteKind::Load && load != nullptr && keeps_bit_field(*load));
                site << id << info.id << static_cast<int>(kind) << file << line << column << block_number
                     << static_cast<std::int64_t>(bytes) << value_kind(type) << (keeps ? 1 : 0)
                     << (place == nullptr ? 0 : scope_of(place->getScope()))
                     << static_cast<std::int64_t>(kind == SiteKind::Load && load != nullptr ? bits_of(*load)
                                                  : kind == SiteKind::Call                  ? pointers_of(each)
                                                                                            : 0)
                     << (quiet.count(id) != 0 ? 1 : 0);
                site.add();
            };
            if (const std::uint32_t id = statement_of(each); id != 0) put(id, SiteKind::Statement, nullptr);
            const std::uint32_t id = site_of(each);
            if (id == 0) continue;
            put(id, kind_of(each), type_of_site(each));
            for (const Operand& its : operands_of(each)) {
                operand << id << its.role << its.site << its.parameter;
                operand.add();
            }
        }
    }
}

void Database::add_locals(Function& function, const FunctionInfo& info) {
    Row row(database_, "insert into variables values (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const Instruction& each : instructions(function)) {
        const auto* told = dyn_cast<DbgDeclareInst>(&each);
        if (told == nullptr) continue;
        const auto* variable = dyn_cast_or_null<AllocaInst>(told->getAddress());
        if (variable == nullptr) continue;
        const DILocalVariable* its = told->getVariable();
        row << site_of(*variable) << info.id << its->getName().str() << type_of(its->getType()) << file_of(its->getScope())
            << its->getLine() << scope_of(its->getScope()) << static_cast<int>(its->getArg());
        row.add();
    }
}

}  // namespace flowback_prepare
