#include "expressions.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <vocabulary/nearest_name.hpp>

namespace rank_debugger {
namespace {

using Kind = Expression::Kind;
constexpr std::size_t most_items = 4'000'000;

std::optional<Dwarf_Die> variable_in(Dwarf_Die scope, const std::string& name) {
    Dwarf_Die die;
    std::optional<Dwarf_Die> found;
    if (dwarf_child(&scope, &die) != 0) return found;
    do {
        const int tag = dwarf_tag(&die);
        if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || name_of(die) != name) continue;
        if (dwarf_hasattr(&die, DW_AT_declaration) == 0) found = die;
    } while (dwarf_siblingof(&die, &die) == 0);
    return found;
}

std::optional<Dwarf_Die> variable_of(const Frame& frame, const std::string& name) {
    for (const Dwarf_Die scope : frame.scopes) {
        if (const auto found = variable_in(scope, name)) return found;
    }
    return std::nullopt;
}

// Variables that an enumerator shadows or names: constants of the program.
std::optional<std::int64_t> enumerator_in(Dwarf_Die of, const std::string& name, int depth) {
    Dwarf_Die die;
    if (depth == 0 || dwarf_child(&of, &die) != 0) return std::nullopt;
    do {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_enumerator && name_of(die) == name) {
            Dwarf_Attribute attribute;
            Dwarf_Sword value = 0;
            if (dwarf_attr(&die, DW_AT_const_value, &attribute) != nullptr && dwarf_formsdata(&attribute, &value) == 0)
                return value;
        }
        if (tag != DW_TAG_enumeration_type) continue;
        if (const auto found = enumerator_in(die, name, depth - 1)) return found;
    } while (dwarf_siblingof(&die, &die) == 0);
    return std::nullopt;
}

class Evaluation {
public:
    explicit Evaluation(const Scope& scope) : scope_(scope) {}

    std::vector<Item> of(const Expression& node) {
        switch (node.kind) {
            case Kind::Name:
                return {named(node)};
            case Kind::Whole:
                return {constant(whole_value(node.whole))};
            case Kind::Real:
                return {constant(real_value(node.real))};
            case Kind::Binary:
                return binary(node);
            case Kind::Index:
                return indexed(node);
            case Kind::Range:
                return ranged(node);
            default:
                break;
        }
        std::vector<Item> items = of(*node.parts[0]);
        for (Item& item : items) {
            if (!item.value.missing.empty()) continue;
            if (node.kind == Kind::Negative) item.value = negative(node, item);
            if (node.kind == Kind::Target) item.value = target(node, item);
            if (node.kind == Kind::Address) item.value = address(node, item);
            if (node.kind == Kind::Arrow) item.value = target(node, item);
            if (node.kind == Kind::Arrow || node.kind == Kind::Member) item.value = member(node, item);
        }
        return items;
    }

private:
    [[noreturn]] static void fail(const Expression& node, const std::string& what) { throw ExpressionError(node.column, what); }
    Item constant(Value value) const { return {.value = std::move(value), .in = &scope_.globals}; }

    // Through a reference of C++.
    Value plain(Value value, const Activation& in) const {
        auto die = bare(value.type);
        if (!die || !value.missing.empty()) return value;
        const int tag = dwarf_tag(&*die);
        if (tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type) return value;
        std::string why;
        const auto at = target_of(value, in, why);
        if (!at) return missing_value(why, value.type);
        return {.type = element_of(value.type), .address = *at};
    }

    Item named(const Expression& node) const {
        const std::string& name = node.text;
        const std::size_t split = name.rfind("::");
        if (split != std::string::npos) {
            if (auto found = of_function(name.substr(0, split), name.substr(split + 2))) return *found;
            if (auto found = of_file(name.substr(0, split), name.substr(split + 2))) return *found;
        } else if (auto found = of_frames(name)) {
            return *found;
        }
        if (auto found = global(node)) return *found;
        const Dwarf_Die* const unit =
            !scope_.frames.empty() && scope_.frames[0].function != nullptr ? &scope_.frames[0].function->unit : nullptr;
        if (unit != nullptr) {
            if (const auto found = enumerator_in(*unit, name, 2)) return constant(whole_value(*found));
        }
        const std::string where = scope_.frames.empty() ? "" : " in " + scope_.frames[0].name + "()";
        fail(node, "there is no variable '" + name + "'" + where + vocabulary::did_you_mean(name, known_names()));
    }
    std::optional<Item> of_frames(const std::string& name) const {
        for (std::size_t i = 0; i < scope_.frames.size(); ++i) {
            const Frame& frame = scope_.frames[i];
            const auto die = variable_of(frame, name);
            if (!die) {
                if (i == 0 && has_global(name)) return std::nullopt;  // it hides those of callers
                continue;
            }
            return Item{.value = plain(value_of(*die, frame.in), frame.in), .in = &frame.in, .of = i == 0 ? nullptr : &frame};
        }
        return std::nullopt;
    }
    std::optional<Item> of_function(const std::string& function, const std::string& name) const {
        for (const Frame& frame : scope_.frames) {
            if (frame.name != function) continue;
            const auto die = variable_of(frame, name);
            if (die)
                return Item{.value = plain(value_of(*die, frame.in), frame.in),
                            .in = &frame.in,
                            .of = &frame == scope_.frames.data() ? nullptr : &frame};
        }
        for (const Function& one : scope_.info.functions()) {  // a static variable of a function that does not run
            if (one.name != function) continue;
            const auto die = variable_in(one.die, name);
            if (die) return Item{.value = plain(value_of(*die, scope_.globals), scope_.globals), .in = &scope_.globals};
        }
        return std::nullopt;
    }
    std::optional<Item> of_file(const std::string& quoted, const std::string& name) const {
        if (quoted.size() < 2 || quoted.front() != '\'') return std::nullopt;
        const std::string wanted = quoted.substr(1, quoted.size() - 2);
        for (const Variable& one : scope_.info.variables()) {
            const std::string file = name_of(one.unit);
            if (one.name == name && (file == wanted || file_name(file) == wanted)) return at_global(one);
        }
        return std::nullopt;
    }
    Item at_global(const Variable& one) const {
        return {.value = plain(value_of(one.die, scope_.globals), scope_.globals), .in = &scope_.globals};
    }
    static bool is_named(const Variable& one, const std::string& name) {
        return one.name == name || (one.name.ends_with("::" + name));
    }
    bool has_global(const std::string& name) const {
        const auto& all = scope_.info.variables();
        return std::any_of(all.begin(), all.end(), [&](const Variable& one) { return is_named(one, name); });
    }
    // First of the innermost function's file, then those that all files see.
    std::optional<Item> global(const Expression& node) const {
        std::vector<const Variable*> found;
        for (const Variable& one : scope_.info.variables()) {
            if (is_named(one, node.text)) found.push_back(&one);
        }
        if (found.empty()) return std::nullopt;
        for (const Variable* one : found) {
            if (!scope_.frames.empty() && scope_.frames[0].function != nullptr &&
                one->unit.addr == scope_.frames[0].function->unit.addr)
                return at_global(*one);
        }
        const Variable* common = nullptr;
        for (const Variable* one : found) {
            Dwarf_Die die = one->die;
            if (dwarf_hasattr_integrate(&die, DW_AT_external) != 0) common = one;
        }
        if (common == nullptr && found.size() > 1)
            fail(node, "several files have a variable '" + node.text + "'; name one, as '" +
                           file_name(name_of(found[0]->unit)) + "'::" + node.text);
        return at_global(common != nullptr ? *common : *found[0]);
    }
    std::vector<std::string> known_names() const {
        std::set<std::string> names;
        for (const Frame& frame : scope_.frames) {
            for (Dwarf_Die scope : frame.scopes) {
                Dwarf_Die die;
                if (dwarf_child(&scope, &die) != 0) continue;
                do {
                    const int tag = dwarf_tag(&die);
                    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) names.insert(name_of(die));
                } while (dwarf_siblingof(&die, &die) == 0);
            }
        }
        for (const Variable& one : scope_.info.variables()) names.insert(one.name);
        return {names.begin(), names.end()};
    }

    // Sets `why` and returns nothing if it has no value now.
    std::optional<Number> number(const Expression& node, const Item& item, std::string& why) const {
        const auto found = number_of(item.value, *item.in, why);
        if (!found && item.value.missing.empty() && is_record(item.value.type)) fail(node, "this is no number");
        return found;
    }
    Value negative(const Expression& node, const Item& item) const {
        std::string why;
        const auto found = number(node, item, why);
        if (!found) return missing_value(why);
        return found->is_real ? real_value(-static_cast<double>(found->real))
                              : whole_value(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(found->whole)));
    }
    Value target(const Expression& node, const Item& item) const {
        const Value& value = item.value;
        if (!is_pointer(value.type) && !is_array(value.type)) fail(node, "this is no pointer, but " + described(value));
        const Type type = element_of(value.type);
        std::string why;
        const auto at = target_of(value, *item.in, why);
        if (!at) return missing_value(why, type);
        if (*at == 0) return missing_value("the pointer is null", type);
        if (!type.die && type.pointers == 0) fail(node, "it is a pointer to void, so nothing is known of what lies there");
        return {.type = type, .address = *at};
    }
    Value address(const Expression& node, const Item& item) const {
        if (!item.value.address || item.value.bits) fail(node, "this has no address");
        Type type = item.value.type;
        ++type.pointers;
        Value made{.type = type};
        made.bytes.resize(sizeof(void*));
        std::memcpy(made.bytes.data(), &*item.value.address, sizeof(void*));
        return made;
    }
    static std::string described(const Value& value) {
        if (value.whole || value.real) return "a number";
        return "of the type '" + type_text(value.type) + "'";
    }

    Value member(const Expression& node, const Item& item) const {
        const Value& value = item.value;
        if (!value.missing.empty()) return value;
        if (is_pointer(value.type)) fail(node, "this is a pointer; write -> instead of the dot");
        if (!is_record(value.type)) fail(node, "this has no members: it is " + described(value));
        std::vector<std::string> names;
        const auto found = find_member(value.type, node.text, names);
        if (!found)
            fail(node,
                 type_text(value.type) + " has no member '" + node.text + "'" + vocabulary::did_you_mean(node.text, names));
        Value made{.type = found->type};
        made.first_bit = found->first_bit;
        made.bits = found->bits;
        if (value.address) {
            made.address = *value.address + found->offset;
        } else {
            const std::size_t size = size_of(found->type, *item.in);
            if (found->offset + size > value.bytes.size())
                return missing_value("the compiler has kept a part of it only", found->type);
            const auto from = value.bytes.begin() + static_cast<std::ptrdiff_t>(found->offset);
            made.bytes.assign(from, from + static_cast<std::ptrdiff_t>(size));
        }
        return plain(std::move(made), *item.in);
    }
    static std::optional<Member> find_member(const Type& record, const std::string& name, std::vector<std::string>& names) {
        for (Member& one : members_of(record)) {
            if (!one.is_base && one.name == name) return std::move(one);
            if (one.is_base || one.name.empty()) {
                if (auto inner = find_member(one.type, name, names)) {
                    inner->offset += one.offset;
                    return inner;
                }
            } else {
                names.push_back(one.name);
            }
        }
        return std::nullopt;
    }

    // An element; of a pointer without a check of its length.
    Value element(const Expression& node, const Item& base, std::int64_t index) const {
        if (!base.value.missing.empty()) return base.value;
        const Value& value = base.value;
        if (!is_array(value.type) && !is_pointer(value.type)) fail(node, "this has no elements: it is " + described(value));
        const Type type = element_of(value.type);
        const auto length = length_of(value.type, *base.in);
        if (length && (index < 0 || static_cast<std::uint64_t>(index) >= *length) && *length > 0)
            return missing_value("the index is out of range: the array has " + std::to_string(*length) + " elements", type);
        const std::size_t size = size_of(type, *base.in);
        if (size == 0) return missing_value("the size of an element is not known", type);
        const auto offset = static_cast<std::uintptr_t>(index) * size;
        if (is_array(value.type) && !value.address) {  // in registers
            if (offset + size > value.bytes.size()) return missing_value("the compiler has kept a part of it only", type);
            Value made{.type = type};
            const auto from = value.bytes.begin() + static_cast<std::ptrdiff_t>(offset);
            made.bytes.assign(from, from + static_cast<std::ptrdiff_t>(size));
            return made;
        }
        std::string why;
        const auto at = target_of(value, *base.in, why);
        if (!at) return missing_value(why, type);
        if (*at == 0) return missing_value("the pointer is null", type);
        return {.type = type, .address = *at + offset};
    }
    std::int64_t one_index(const Expression& node, std::string& why) {
        const std::vector<Item> items = of(node);
        if (items.size() != 1) fail(node, "an index cannot be a range of values");
        const auto found = number(node, items[0], why);
        if (!found) {
            if (why.empty()) why = items[0].value.missing;
            return 0;
        }
        if (found->is_real) fail(node, "an index is a whole number");
        return found->whole;
    }
    std::vector<Item> indexed(const Expression& node) {
        std::vector<Item> items = of(*node.parts[0]);
        std::string why;
        const std::int64_t index = one_index(*node.parts[1], why);
        for (Item& item : items) item.value = why.empty() ? element(node, item, index) : missing_value("its index: " + why);
        return items;
    }
    std::vector<Item> ranged(const Expression& node) {
        std::vector<Item> made;
        std::string why;
        const std::int64_t first = one_index(*node.parts[1], why), last = one_index(*node.parts[2], why);
        for (const Item& item : of(*node.parts[0])) {
            if (!why.empty() || !item.value.missing.empty()) {
                made.push_back(item);
                if (!why.empty()) made.back().value = missing_value("its index: " + why);
                continue;
            }
            if (last >= first && static_cast<std::uint64_t>(last - first) >= most_items - made.size())
                fail(node, "more than " + std::to_string(most_items) + " values; take a smaller range");
            for (std::int64_t index = first; index <= last; ++index) {
                Item one = item;
                one.indices.push_back(index);
                one.value = element(node, item, index);
                made.push_back(std::move(one));
            }
        }
        return made;
    }

    std::vector<Item> binary(const Expression& node) {
        std::vector<Item> left = of(*node.parts[0]);
        const std::vector<Item> right = of(*node.parts[1]);
        if (left.size() != 1 && right.size() != 1) fail(node, "one of the two sides must be a single value");
        std::vector<Item> made;
        for (const Item& a : left) {
            for (const Item& b : right) {
                Item one = left.size() == 1 ? b : a;
                one.value = combined(node, a, b);
                made.push_back(std::move(one));
            }
        }
        return made;
    }
    Value combined(const Expression& node, const Item& a, const Item& b) const {
        if (!a.value.missing.empty()) return a.value;
        if (!b.value.missing.empty()) return b.value;
        const bool adds = node.text == "+" || node.text == "-";
        std::string why;
        const auto x = number(*node.parts[0], a, why), y = number(*node.parts[1], b, why);
        if (!x || !y) return missing_value(why);
        if ((is_pointer(a.value.type) || is_array(a.value.type)) && adds && !is_pointer(b.value.type) &&
            !is_array(b.value.type)) {
            Item to = a;
            const Value element_there = element(node, to, node.text == "+" ? y->whole : -y->whole);
            if (!element_there.address) return element_there;
            return address(node, {.value = element_there, .in = a.in});
        }
        if (x->is_real || y->is_real) return real_result(node, *x, *y);
        return whole_result(node, x->whole, y->whole);
    }
    static Value real_result(const Expression& node, const Number& x, const Number& y) {
        const auto a = static_cast<double>(x.is_real ? x.real : static_cast<long double>(x.whole));
        const auto b = static_cast<double>(y.is_real ? y.real : static_cast<long double>(y.whole));
        if (node.text == "%") fail(node, "% takes whole numbers");
        return real_value(node.text == "+" ? a + b : node.text == "-" ? a - b : node.text == "*" ? a * b : a / b);
    }
    static Value whole_result(const Expression& node, std::int64_t a, std::int64_t b) {
        const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
        if (node.text == "+") return whole_value(static_cast<std::int64_t>(x + y));
        if (node.text == "-") return whole_value(static_cast<std::int64_t>(x - y));
        if (node.text == "*") return whole_value(static_cast<std::int64_t>(x * y));
        if (b == 0) return missing_value("a division by zero");
        if (b == -1) return whole_value(node.text == "/" ? static_cast<std::int64_t>(0 - x) : 0);
        return whole_value(node.text == "/" ? a / b : a % b);
    }

    const Scope& scope_;
};

}  // namespace

std::vector<Item> evaluate_expression(const Expression& expression, const Scope& scope) {
    return Evaluation(scope).of(expression);
}

}  // namespace rank_debugger
