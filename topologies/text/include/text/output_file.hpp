// Writing a whole text file at once: beside its place, then renamed, so that no reader ever sees half of it.
#pragma once

#include <string>
#include <string_view>

namespace text {

enum class Replace : bool { No, Yes };

// Checks the place before work starts, so that no work is done for a file that cannot be written. Throws vocabulary::InputError
// when there is no name, when the file may not be replaced, or when the folder takes no new file. It also throws for something
// that is no file: a folder, a device, a pipe, a link to nothing. Leaves nothing behind.
void check_output_file(const std::string& path, Replace replace);

// Throws vocabulary::InputError as check_output_file() does, and when the host cannot write it.
void write_text_file(const std::string& path, std::string_view text, Replace replace);

// The whole file; throws vocabulary::InputError when it cannot be read. what: "a .spf file", for the message.
std::string read_text_file(const std::string& path, std::string_view what);

}  // namespace text
