#include "file_names.hpp"

#include <algorithm>
#include <cerrno>

namespace trollius_os::services {

PlainName plain_name(const std::string& folder, const std::string& given, std::size_t most) {
    if (given.empty()) return {{}, ENOENT};
    if (given.size() > most) return {{}, ENAMETOOLONG};
    if (given.find('\0') != std::string::npos) return {{}, EINVAL};
    if (given.front() == '/') return {{}, EACCES};
    std::string plain = folder;
    for (std::size_t at = 0; at < given.size();) {
        const std::size_t end = std::min(given.find('/', at), given.size());
        const std::string word = given.substr(at, end - at);
        at = end + 1;
        if (word.empty() || word == ".") continue;
        if (word == "..") {
            if (plain.empty()) return {{}, EACCES};
            const std::size_t slash = plain.find_last_of('/');
            plain.erase(slash == std::string::npos ? 0 : slash);
            continue;
        }
        if (!plain.empty()) plain += '/';
        plain += word;
    }
    if (plain.size() > most) return {{}, ENAMETOOLONG};
    return {plain, 0};
}

bool is_at_or_below(const std::string& name, const std::string& folder) {
    if (folder.empty()) return true;
    return name.starts_with(folder) && (name.size() == folder.size() || name[folder.size()] == '/');
}

}  // namespace trollius_os::services
