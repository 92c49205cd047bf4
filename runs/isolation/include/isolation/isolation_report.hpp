// An isolated call as text, at most 128 columns wide, and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <isolation/isolation.hpp>

namespace isolation {

// 16 hexadecimal digits, XXH3 of 64 bits. Of several messages: each with its length in front, 4 bytes, the least first.
std::string digest(const std::vector<Bytes>& messages);

// The end and the output of a call, to compare it with another.
std::string outcome_text(const Isolated& call);

// `with_earlier`: outcome_text() of the same call after the earlier ones, when this one was made without them. `dump`: show
// the bytes.
struct View {
    std::optional<std::string> with_earlier = {};
    bool dump = false;
};
std::string isolated_text(const Isolated& call, const farm_spec::FarmSpec& spec, const View& view);
// {"schema": "magicwire.isolate/1", ...}
nlohmann::ordered_json isolated_json(const Isolated& call, const farm_spec::FarmSpec& spec, const View& view);

}  // namespace isolation
