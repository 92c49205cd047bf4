// Values: what an expression stands for in one rank: bytes of a type, in memory or not.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "locations.hpp"

namespace rank_debugger {

// The type of a value. An array of two dimensions with one index is an array of the other.
struct Type {
    std::optional<Dwarf_Die> die{};  // empty: a whole number or a real one of an expression, or void
    unsigned indexed = 0;            // dimensions that have an index
    unsigned pointers = 0;           // addresses taken of it, as & does
};

struct Value {
    Type type{};
    std::optional<std::uintptr_t> address{};      // it lies in memory, and is read when it is needed
    std::vector<std::byte> bytes{};               // else
    std::optional<std::int64_t> whole{};          // without a type: of an expression
    std::optional<double> real{};                 // likewise
    std::optional<unsigned> first_bit{}, bits{};  // of a bit-field, from the lowest bit at the address
    std::string missing{};                        // why it has none; empty: it has one
};

Value missing_value(std::string why, Type type = {});
Value whole_value(std::int64_t value);
Value real_value(double value);

// Without typedef, const and the like.
std::optional<Dwarf_Die> bare(const Type& type);
std::string type_text(const Type& type);  // "double *", "struct point [4]"
// 0: not known. `in` has what the bounds of arrays need.
std::size_t size_of(const Type& type, const Activation& in);

// An array or, if `of` is a pointer, what it points to.
bool is_array(const Type& type);
bool is_pointer(const Type& type);
std::optional<std::uint64_t> length_of(const Type& array, const Activation& in);  // empty: not known
Type element_of(const Type& array_or_pointer);

struct Member {
    std::string name;  // empty: an unnamed structure, whose members count as its own
    Type type;
    std::uint64_t offset = 0;
    std::optional<unsigned> first_bit{}, bits{};
    bool is_base = false;  // of a class
};
bool is_record(const Type& type);
std::vector<Member> members_of(const Type& record);

// Where the variable is, and of which type.
Value value_of(Dwarf_Die variable, const Activation& in);
// Its bytes. Empty: they cannot be read, and `why` says so.
std::optional<std::vector<std::byte>> bytes_of(const Value& value, const Activation& in, std::string& why);
// A number of any type: whole, real, or an address. The others are empty, and `why` says why.
struct Number {
    bool is_real = false, is_unsigned = false;
    std::int64_t whole = 0;
    long double real = 0;
};
std::optional<Number> number_of(const Value& value, const Activation& in, std::string& why);
// The target of a pointer, or the beginning of an array.
std::optional<std::uintptr_t> target_of(const Value& value, const Activation& in, std::string& why);

}  // namespace rank_debugger
