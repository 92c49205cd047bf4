// Writes a whole text file under a temporary name and renames it, so no reader ever sees half of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace text {

enum class Replace : bool { No, Yes };

// Checks the path before work starts, so no work is lost on an unwritable file. Throws vocabulary::InputError when the name is
// empty, when the file may not be replaced, or when the folder takes no new file. It also throws for something that is no file:
// a folder, a device, a pipe, a link to nothing. Leaves nothing behind.
void check_output_file(const std::string& path, Replace replace);

// Throws as check_output_file() does, and when writing fails: HostError if the host lacks room, else InputError.
void write_text_file(const std::string& path, std::string_view text, Replace replace);
// The same for a text that need not fit into memory: `source` passes its pieces, in order, to the function that it gets.
using PieceWriter = std::function<void(std::string_view)>;
void write_text_file(const std::string& path, const std::function<void(const PieceWriter&)>& source, Replace replace);

// The whole file; throws vocabulary::InputError when it cannot be read. what: "a .spf file", for the message.
std::string read_text_file(const std::string& path, std::string_view what);

}  // namespace text
