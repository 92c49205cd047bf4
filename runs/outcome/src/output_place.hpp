// Places for the files of a run; a folder gets its final name only when it is complete.
#pragma once

#include <filesystem>
#include <string>

namespace outcome {

// "out/" is meant as "out": the temporary name must lie beside the folder, not in it.
std::filesystem::path without_final_slash(const std::filesystem::path& folder);
// A new folder that no other process uses: NAME.word, or the same with a number after it.
std::filesystem::path new_folder_beside(const std::filesystem::path& place, const std::string& word);
void remove_quietly(const std::filesystem::path& folder);
// False: that name exists already and is left alone.
bool take_name(const std::filesystem::path& made, const std::filesystem::path& place);
// Deletes the old folder only when the new one has its name. On failure the old folder gets the name back.
void replace_folder(const std::filesystem::path& made, const std::filesystem::path& place);
// The first free name of PLACE.2, PLACE.3, ...; returns it.
std::filesystem::path put_beside(const std::filesystem::path& made, const std::filesystem::path& place);

}  // namespace outcome
