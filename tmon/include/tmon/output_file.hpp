// Writing a whole text file at once: beside its place, then renamed, so that no reader ever sees half of it.
#pragma once

#include <string>
#include <string_view>

#include "tmon/thesis_files.hpp"

namespace tmon {

// Throws vocabulary::InputError when the file exists and may not be replaced, or when the host cannot write it.
void write_text_file(const std::string& path, std::string_view text, Replace replace);

// The whole file; throws vocabulary::InputError when it cannot be read. what: "a .spf file", for the message.
std::string read_text_file(const std::string& path, std::string_view what);

}  // namespace tmon
