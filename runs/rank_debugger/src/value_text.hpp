// ValueText: a value in words of C, and as JSON.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "debug_info.hpp"
#include "values.hpp"

namespace rank_debugger {

struct Shown {
    std::string text;
    nlohmann::ordered_json json;  // number, text, list or object; null: no value
};

// `address`: the word for an address, "<u+16>" or "0x10a000000040". At most 200 elements of an array show, and as many
// letters of a text.
Shown shown(const Value& value, const Activation& in, const std::function<std::string(std::uintptr_t)>& address);

}  // namespace rank_debugger
