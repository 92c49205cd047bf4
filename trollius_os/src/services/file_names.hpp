// Names of files as filed reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <trollius_os/error_numbers.hpp>

namespace trollius_os::services {

struct PlainName {
    std::string name;  // as FileStore wants it
    ErrorNumber error = 0;
};

// `folder`: the working directory, plain. ".." takes away the word before it, whatever that is on the disk. EACCES for a name
// that leads above the top or begins with "/". ENAMETOOLONG also when the plain name is longer than `most`.
PlainName plain_name(const std::string& folder, const std::string& given, std::size_t most);

// True for `name` itself, and for what is below it.
bool is_at_or_below(const std::string& name, const std::string& folder);

}  // namespace trollius_os::services
