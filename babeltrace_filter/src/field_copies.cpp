#include "field_copies.hpp"

#include <cstring>

namespace babeltrace_filter {
namespace {

constexpr unsigned most_depth = 64;

FieldClassRef integer_like(const bt_field_class* from, bt_field_class* made_class) {
    FieldClassRef copy(made(made_class));
    bt_field_class_integer_set_field_value_range(copy.get(), bt_field_class_integer_get_field_value_range(from));
    bt_field_class_integer_set_preferred_display_base(copy.get(), bt_field_class_integer_get_preferred_display_base(from));
    return copy;
}

FieldClassRef unsigned_enumeration(bt_trace_class* own, const bt_field_class* from) {
    FieldClassRef copy = integer_like(from, bt_field_class_enumeration_unsigned_create(own));
    for (std::uint64_t i = 0; i < bt_field_class_enumeration_get_mapping_count(from); ++i) {
        const auto* mapping = bt_field_class_enumeration_unsigned_borrow_mapping_by_index_const(from, i);
        check(bt_field_class_enumeration_unsigned_add_mapping(
            copy.get(),
            bt_field_class_enumeration_mapping_get_label(bt_field_class_enumeration_unsigned_mapping_as_mapping_const(mapping)),
            bt_field_class_enumeration_unsigned_mapping_borrow_ranges_const(mapping)));
    }
    return copy;
}

FieldClassRef signed_enumeration(bt_trace_class* own, const bt_field_class* from) {
    FieldClassRef copy = integer_like(from, bt_field_class_enumeration_signed_create(own));
    for (std::uint64_t i = 0; i < bt_field_class_enumeration_get_mapping_count(from); ++i) {
        const auto* mapping = bt_field_class_enumeration_signed_borrow_mapping_by_index_const(from, i);
        check(bt_field_class_enumeration_signed_add_mapping(
            copy.get(),
            bt_field_class_enumeration_mapping_get_label(bt_field_class_enumeration_signed_mapping_as_mapping_const(mapping)),
            bt_field_class_enumeration_signed_mapping_borrow_ranges_const(mapping)));
    }
    return copy;
}

FieldClassRef structure(bt_trace_class* own, const bt_field_class* from, unsigned depth) {
    FieldClassRef copy(made(bt_field_class_structure_create(own)));
    for (std::uint64_t i = 0; i < bt_field_class_structure_get_member_count(from); ++i) {
        const auto* member = bt_field_class_structure_borrow_member_by_index_const(from, i);
        const FieldClassRef inner =
            copy_field_class(own, bt_field_class_structure_member_borrow_field_class_const(member), depth + 1);
        check(
            bt_field_class_structure_append_member(copy.get(), bt_field_class_structure_member_get_name(member), inner.get()));
    }
    return copy;
}

FieldClassRef variant(bt_trace_class* own, const bt_field_class* from, unsigned depth) {
    FieldClassRef copy(made(bt_field_class_variant_create(own, nullptr)));
    for (std::uint64_t i = 0; i < bt_field_class_variant_get_option_count(from); ++i) {
        const auto* option = bt_field_class_variant_borrow_option_by_index_const(from, i);
        const FieldClassRef inner =
            copy_field_class(own, bt_field_class_variant_option_borrow_field_class_const(option), depth + 1);
        check(bt_field_class_variant_without_selector_append_option(copy.get(), bt_field_class_variant_option_get_name(option),
                                                                    inner.get()));
    }
    return copy;
}

FieldClassRef array(bt_trace_class* own, const bt_field_class* from, unsigned depth) {
    const FieldClassRef element = copy_field_class(own, bt_field_class_array_borrow_element_field_class_const(from), depth + 1);
    if (bt_field_class_get_type(from) == BT_FIELD_CLASS_TYPE_STATIC_ARRAY)
        return FieldClassRef(
            made(bt_field_class_array_static_create(own, element.get(), bt_field_class_array_static_get_length(from))));
    return FieldClassRef(made(bt_field_class_array_dynamic_create(own, element.get(), nullptr)));
}

template <class Number>
void append(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
template <class Number>
Number take(const char*& at) {
    Number number;
    std::memcpy(&number, at, sizeof number);
    at += sizeof number;
    return number;
}

void append_members(const bt_field* from, std::uint64_t members, std::string& bytes) {
    for (std::uint64_t i = 0; i < members; ++i)
        append_image(bt_field_structure_borrow_member_field_by_index_const(from, i), bytes);
}

// With its length, so that a dynamic array finds it; and a 0 behind a string.
void append_array(const bt_field* from, std::string& bytes) {
    const std::uint64_t length = bt_field_array_get_length(from);
    append(bytes, length);
    for (std::uint64_t i = 0; i < length; ++i) append_image(bt_field_array_borrow_element_field_by_index_const(from, i), bytes);
}
void append_string(const bt_field* from, std::string& bytes) {
    append(bytes, bt_field_string_get_length(from));
    bytes.append(bt_field_string_get_value(from), bt_field_string_get_length(from) + 1);
}

void restore_array(const char*& at, bt_field* to, bool dynamic) {
    const auto length = take<std::uint64_t>(at);
    if (dynamic) check(bt_field_array_dynamic_set_length(to, length));
    for (std::uint64_t i = 0; i < length; ++i) restore_image(at, bt_field_array_borrow_element_field_by_index(to, i));
}
void restore_string(const char*& at, bt_field* to) {
    const auto length = take<std::uint64_t>(at);
    check(bt_field_string_set_value(to, at));
    at += length + 1;
}

}  // namespace

FieldClassRef copy_field_class(bt_trace_class* own, const bt_field_class* from, unsigned depth) {
    if (depth > most_depth) throw FilterError("the fields of an event are nested more than 64 levels deep");
    const bt_field_class_type type = bt_field_class_get_type(from);
    if (type == BT_FIELD_CLASS_TYPE_BOOL) return FieldClassRef(made(bt_field_class_bool_create(own)));
    if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY)
        return FieldClassRef(made(bt_field_class_bit_array_create(own, bt_field_class_bit_array_get_length(from))));
    if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION) return unsigned_enumeration(own, from);
    if (type == BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION) return signed_enumeration(own, from);
    if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER) return integer_like(from, bt_field_class_integer_unsigned_create(own));
    if (type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER) return integer_like(from, bt_field_class_integer_signed_create(own));
    if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)
        return FieldClassRef(made(bt_field_class_real_single_precision_create(own)));
    if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)
        return FieldClassRef(made(bt_field_class_real_double_precision_create(own)));
    if (type == BT_FIELD_CLASS_TYPE_STRING) return FieldClassRef(made(bt_field_class_string_create(own)));
    if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) return structure(own, from, depth);
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) return array(own, from, depth);
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
        const FieldClassRef inner = copy_field_class(own, bt_field_class_option_borrow_field_class_const(from), depth + 1);
        return FieldClassRef(made(bt_field_class_option_without_selector_create(own, inner.get())));
    }
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) return variant(own, from, depth);
    throw FilterError("a field has a class that this filter does not know");
}

void append_image(const bt_field* from, std::string& bytes) {
    const bt_field_class_type type = bt_field_get_class_type(from);
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        return append(bytes, bt_field_integer_unsigned_get_value(from));
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        return append(bytes, bt_field_integer_signed_get_value(from));
    if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
        return append_members(from, bt_field_class_structure_get_member_count(bt_field_borrow_class_const(from)), bytes);
    if (type == BT_FIELD_CLASS_TYPE_STRING) return append_string(from, bytes);
    if (type == BT_FIELD_CLASS_TYPE_BOOL) return append(bytes, bt_field_bool_get_value(from));
    if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) return append(bytes, bt_field_bit_array_get_value_as_integer(from));
    if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) return append(bytes, bt_field_real_single_precision_get_value(from));
    if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) return append(bytes, bt_field_real_double_precision_get_value(from));
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) return append_array(from, bytes);
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
        const bt_field* inner = bt_field_option_borrow_field_const(from);
        append(bytes, static_cast<std::uint8_t>(inner != nullptr ? 1 : 0));
        if (inner != nullptr) append_image(inner, bytes);
        return;
    }
    append(bytes, bt_field_variant_get_selected_option_index(from));
    append_image(bt_field_variant_borrow_selected_option_field_const(from), bytes);
}

void restore_members(const char*& at, bt_field* to, std::uint64_t members) {
    for (std::uint64_t i = 0; i < members; ++i) restore_image(at, bt_field_structure_borrow_member_field_by_index(to, i));
}

void restore_image(const char*& at, bt_field* to) {
    const bt_field_class_type type = bt_field_get_class_type(to);
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        return bt_field_integer_unsigned_set_value(to, take<std::uint64_t>(at));
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        return bt_field_integer_signed_set_value(to, take<std::int64_t>(at));
    if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
        return restore_members(at, to, bt_field_class_structure_get_member_count(bt_field_borrow_class_const(to)));
    if (type == BT_FIELD_CLASS_TYPE_STRING) return restore_string(at, to);
    if (type == BT_FIELD_CLASS_TYPE_BOOL) return bt_field_bool_set_value(to, take<bt_bool>(at));
    if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) return bt_field_bit_array_set_value_as_integer(to, take<std::uint64_t>(at));
    if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) return bt_field_real_single_precision_set_value(to, take<float>(at));
    if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)
        return bt_field_real_double_precision_set_value(to, take<double>(at));
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
        return restore_array(at, to, type != BT_FIELD_CLASS_TYPE_STATIC_ARRAY);
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
        const bool has = take<std::uint8_t>(at) != 0;
        bt_field_option_set_has_field(to, has ? BT_TRUE : BT_FALSE);
        if (has) restore_image(at, bt_field_option_borrow_field(to));
        return;
    }
    check(bt_field_variant_select_option_by_index(to, take<std::uint64_t>(at)));
    restore_image(at, bt_field_variant_borrow_selected_option_field(to));
}

}  // namespace babeltrace_filter
