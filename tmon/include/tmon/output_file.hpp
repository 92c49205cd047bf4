// Writing a whole text file at once: beside its place, then renamed, so that no reader ever sees half of it.
#pragma once

#include <string>
#include <string_view>

#include "tmon/thesis_files.hpp"

namespace tmon {

// Before the work whose result goes there, so that none is done for a place where it cannot be written. Throws
// vocabulary::InputError: no name, a file that is there and may not be replaced, what is no file (a folder, a device, a pipe, a
// link to nothing), or a folder in which no file can be made. Leaves nothing behind.
void check_output_file(const std::string& path, Replace replace);

// Throws vocabulary::InputError as check_output_file() does, and when the host cannot write it.
void write_text_file(const std::string& path, std::string_view text, Replace replace);

// The whole file; throws vocabulary::InputError when it cannot be read. what: "a .spf file", for the message.
std::string read_text_file(const std::string& path, std::string_view what);

}  // namespace tmon
