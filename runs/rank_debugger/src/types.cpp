// Types as the compiler describes them.
#include <dwarf.h>

#include "debug_info.hpp"
#include "values.hpp"

namespace rank_debugger {
namespace {

// An attribute that is a number, an expression, or another variable that holds the number.
std::optional<std::uint64_t> number_in(Dwarf_Die die, unsigned name, const Activation& in) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) return std::nullopt;
    Dwarf_Sword number = 0;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    Dwarf_Die other;
    const unsigned form = dwarf_whatform(&attribute);
    if (form != DW_FORM_exprloc && form != DW_FORM_block1 && dwarf_formsdata(&attribute, &number) == 0)
        return static_cast<std::uint64_t>(number);
    if (dwarf_getlocation(&attribute, &operations, &count) == 0 && count > 0) {
        const auto found = evaluate_number(operations, count, in);
        return found;
    }
    if (dwarf_formref_die(&attribute, &other) == nullptr) return std::nullopt;
    std::string why;
    const auto found = number_of(value_of(other, in), in, why);
    return found ? std::optional(static_cast<std::uint64_t>(found->whole)) : std::nullopt;
}

std::vector<Dwarf_Die> children(Dwarf_Die of, std::initializer_list<int> tags) {
    std::vector<Dwarf_Die> found;
    Dwarf_Die die;
    if (dwarf_child(&of, &die) != 0) return found;
    do {
        for (const int tag : tags) {
            if (dwarf_tag(&die) == tag) found.push_back(die);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return found;
}

std::vector<Dwarf_Die> dimensions_of(Dwarf_Die array) {
    return children(array, {DW_TAG_subrange_type, DW_TAG_enumeration_type});
}

// The type without its qualifiers, whatever has been indexed.
std::optional<Dwarf_Die> peeled(const Type& type) {
    if (!type.die) return std::nullopt;
    Dwarf_Die die = *type.die, plain;
    return dwarf_peel_type(&die, &plain) == 0 ? std::optional(plain) : std::nullopt;
}

std::optional<std::uint64_t> length_of_dimension(Dwarf_Die dimension, const Activation& in) {
    if (const auto count = number_in(dimension, DW_AT_count, in)) return count;
    const auto last = number_in(dimension, DW_AT_upper_bound, in);
    if (!last) return std::nullopt;
    return *last - number_in(dimension, DW_AT_lower_bound, in).value_or(0) + 1;
}

}  // namespace

std::optional<Dwarf_Die> bare(const Type& type) {
    return type.pointers > 0 ? std::nullopt : peeled(type);
}

bool is_array(const Type& type) {
    auto die = bare(type);
    return die && dwarf_tag(&*die) == DW_TAG_array_type && type.indexed < dimensions_of(*die).size();
}

bool is_pointer(const Type& type) {
    if (type.pointers > 0) return true;
    auto die = bare(type);
    if (!die) return false;
    const int tag = dwarf_tag(&*die);
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool is_record(const Type& type) {
    auto die = bare(type);
    if (!die) return false;
    const int tag = dwarf_tag(&*die);
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

Type element_of(const Type& of) {
    Type element = of;
    if (of.pointers > 0) {
        --element.pointers;
        return element;
    }
    const auto die = bare(of);
    if (!die) return {};
    if (is_array(of) && of.indexed + 1 < dimensions_of(*die).size()) {
        ++element.indexed;
        return element;
    }
    return {.die = type_of(*die)};
}

std::optional<std::uint64_t> length_of(const Type& array, const Activation& in) {
    const auto die = bare(array);
    if (!die || !is_array(array)) return std::nullopt;
    return length_of_dimension(dimensions_of(*die)[array.indexed], in);
}

std::size_t size_of(const Type& type, const Activation& in) {
    if (is_pointer(type)) return sizeof(void*);
    if (is_array(type)) {
        const auto length = length_of(type, in);
        return length ? *length * size_of(element_of(type), in) : 0;
    }
    auto die = bare(type);
    Dwarf_Word bytes = 0;
    if (!die || dwarf_aggregate_size(&*die, &bytes) != 0) return 0;
    return bytes;
}

std::string type_text(const Type& type) {
    if (type.pointers > 0) {
        Type inner = type;
        inner.pointers = 0;
        return type_text(inner) + (is_pointer(inner) ? "" : " ") + std::string(type.pointers, '*');
    }
    if (!type.die) return "void";
    Dwarf_Die die = *type.die;
    const Type under{.die = type_of(die)};
    const std::string name = name_of(die);
    switch (dwarf_tag(&die)) {
        case DW_TAG_pointer_type:
            return type_text(under) + (under.die && is_pointer(under) ? "*" : " *");
        case DW_TAG_reference_type:
            return type_text(under) + " &";
        case DW_TAG_rvalue_reference_type:
            return type_text(under) + " &&";
        case DW_TAG_const_type:
            return "const " + type_text(under);
        case DW_TAG_volatile_type:
            return "volatile " + type_text(under);
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            return type_text(under);
        case DW_TAG_subroutine_type:
            return type_text(under) + " ()";
        case DW_TAG_structure_type:
            return name.empty() ? "struct" : "struct " + name;
        case DW_TAG_union_type:
            return name.empty() ? "union" : "union " + name;
        case DW_TAG_enumeration_type:
            return name.empty() ? "enum" : "enum " + name;
        case DW_TAG_array_type: {
            std::string text = type_text(under) + " ";
            const auto dimensions = dimensions_of(die);
            for (std::size_t i = type.indexed; i < dimensions.size(); ++i) {
                const auto length = length_of_dimension(dimensions[i], {});
                text += "[" + (length ? std::to_string(*length) : "") + "]";
            }
            return text;
        }
        default:
            return name.empty() ? "?" : name;
    }
}

std::vector<Member> members_of(const Type& record) {
    std::vector<Member> members;
    const auto die = bare(record);
    if (!die) return members;
    for (Dwarf_Die& child : children(*die, {DW_TAG_member, DW_TAG_inheritance})) {
        Member member{.name = name_of(child), .type = {.die = type_of(child)}};
        member.is_base = dwarf_tag(&child) == DW_TAG_inheritance;
        if (dwarf_hasattr(&child, DW_AT_external) != 0 || dwarf_hasattr(&child, DW_AT_declaration) != 0) continue;  // static
        Dwarf_Attribute attribute;
        Dwarf_Word number = 0;
        if (dwarf_attr(&child, DW_AT_data_member_location, &attribute) != nullptr && dwarf_formudata(&attribute, &number) == 0)
            member.offset = number;
        if (dwarf_attr(&child, DW_AT_bit_size, &attribute) != nullptr && dwarf_formudata(&attribute, &number) == 0) {
            member.bits = static_cast<unsigned>(number);
            constexpr unsigned byte = 8;
            if (dwarf_attr(&child, DW_AT_data_bit_offset, &attribute) != nullptr && dwarf_formudata(&attribute, &number) == 0) {
                member.offset = number / byte;
                member.first_bit = static_cast<unsigned>(number % byte);
            } else if (dwarf_attr(&child, DW_AT_bit_offset, &attribute) != nullptr &&
                       dwarf_formudata(&attribute, &number) == 0) {
                const std::size_t size = size_of(member.type, {});  // DWARF 3 counts from the highest bit of the whole
                member.first_bit = static_cast<unsigned>(size * byte - number - *member.bits);
            } else {
                member.first_bit = 0;
            }
        }
        members.push_back(std::move(member));
    }
    return members;
}

}  // namespace rank_debugger
