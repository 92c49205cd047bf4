// The program's types, as its debug information tells them.
#include <sqlite3.h>

#include <stdexcept>

#include "database.hpp"

namespace flowback_prepare {

using namespace llvm;

namespace {

void step(sqlite3* database, sqlite3_stmt* statement) {
    const int done = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (done != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(database));
}

sqlite3_stmt* prepared(sqlite3* database, const char* text) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, text, -1, &statement, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(database));
    return statement;
}

const char* basic_kind(unsigned encoding) {
    switch (encoding) {
        case dwarf::DW_ATE_boolean:
            return "bool";
        case dwarf::DW_ATE_float:
            return "float";
        case dwarf::DW_ATE_signed:
            return "signed";
        case dwarf::DW_ATE_signed_char:
            return "char";
        case dwarf::DW_ATE_unsigned_char:
            return "unsigned_char";
        case dwarf::DW_ATE_unsigned:
            return "unsigned";
        default:
            return "other";
    }
}

}  // namespace

int Database::new_type(const char* kind, const std::string& name, std::uint64_t bytes, int base, std::int64_t count) {
    const int id = static_cast<int>(number("select coalesce(max(id), 0) + 1 from types"));
    sqlite3_stmt* row = prepared(database_, "insert into types values (?, ?, ?, ?, ?, ?)");
    sqlite3_bind_int(row, 1, id);
    sqlite3_bind_text(row, 2, kind, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(row, 3, name.c_str(), -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(row, 4, static_cast<std::int64_t>(bytes));
    sqlite3_bind_int(row, 5, base);
    sqlite3_bind_int64(row, 6, count);
    step(database_, row);
    return id;
}

// An array of several dimensions is an array of arrays.
int Database::array_of(const DICompositeType& type) {
    int base = type_of(type.getBaseType());
    std::uint64_t bytes = type.getBaseType() == nullptr ? 0 : type.getBaseType()->getSizeInBits() / 8;
    const DINodeArray ranges = type.getElements();
    for (unsigned i = ranges.size(); i-- > 0;) {
        const auto* range = dyn_cast<DISubrange>(ranges[i]);
        std::int64_t count = -1;
        if (range != nullptr && range->getCount().is<ConstantInt*>())
            count = range->getCount().get<ConstantInt*>()->getSExtValue();
        bytes *= count < 0 ? 0 : static_cast<std::uint64_t>(count);
        base = new_type("array", "", bytes, base, count);
    }
    return base;
}

void Database::add_members(int id, const DICompositeType& type) {
    for (const DINode* element : type.getElements()) {
        const auto* member = dyn_cast<DIDerivedType>(element);
        if (member == nullptr || member->isStaticMember() || member->isBitField()) continue;
        const int its = type_of(member->getBaseType());
        sqlite3_stmt* row = prepared(database_, "insert into members values (?, ?, ?, ?)");
        sqlite3_bind_int(row, 1, id);
        sqlite3_bind_text(row, 2, member->getName().str().c_str(), -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(row, 3, static_cast<std::int64_t>(member->getOffsetInBits() / 8));
        sqlite3_bind_int(row, 4, its);
        step(database_, row);
    }
}

int Database::type_of(const DIType* type) {
    if (type == nullptr) return 0;
    if (const auto found = types_.find(type); found != types_.end()) return found->second;
    const std::uint64_t bytes = type->getSizeInBits() / 8;
    const std::string name = type->getName().str();
    if (const auto* basic = dyn_cast<DIBasicType>(type))
        return types_[type] = new_type(basic_kind(basic->getEncoding()), name, bytes, 0, 0);
    if (const auto* derived = dyn_cast<DIDerivedType>(type)) {
        const unsigned tag = derived->getTag();
        const bool pointer = tag == dwarf::DW_TAG_pointer_type || tag == dwarf::DW_TAG_reference_type ||
                             tag == dwarf::DW_TAG_rvalue_reference_type;
        if (!pointer) return types_[type] = type_of(derived->getBaseType());
        const int id = types_[type] = new_type("pointer", name, bytes, 0, 0);
        const int base = type_of(derived->getBaseType());
        run(("update types set base = " + std::to_string(base) + " where id = " + std::to_string(id)).c_str());
        return id;
    }
    const auto* composite = dyn_cast<DICompositeType>(type);
    if (composite == nullptr) return types_[type] = new_type("other", name, bytes, 0, 0);
    if (composite->getTag() == dwarf::DW_TAG_array_type) return types_[type] = array_of(*composite);
    if (composite->getTag() == dwarf::DW_TAG_enumeration_type) return types_[type] = new_type("signed", name, bytes, 0, 0);
    const char* kind = composite->getTag() == dwarf::DW_TAG_union_type ? "union" : "struct";
    const int id = types_[type] = new_type(kind, name, bytes, 0, 0);
    add_members(id, *composite);
    return id;
}

}  // namespace flowback_prepare
