#include <text/json_depth.hpp>

namespace text {

bool nests_too_deep(std::string_view json) {
    std::size_t level = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char c = json[at];
        if (in_string) {
            if (c == '\\') ++at;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++level > most_json_levels) return true;
        } else if ((c == ']' || c == '}') && level > 0) {
            --level;
        }
    }
    return false;
}

}  // namespace text
