// Where the files of a run may go, and how a folder gets its name only when everything is in it.
#pragma once

#include <filesystem>
#include <string>

namespace outcome {

// "out/" is meant as "out": the temporary name must lie beside the folder, not in it.
std::filesystem::path without_final_slash(const std::filesystem::path& folder);
// A new folder that no other process uses: NAME.word, or with a number behind it.
std::filesystem::path new_folder_beside(const std::filesystem::path& place, const std::string& word);
void remove_quietly(const std::filesystem::path& folder);
// False: something of that name exists, and stays.
bool take_name(const std::filesystem::path& made, const std::filesystem::path& place);
// The old folder is deleted only when the new one has its name; when that fails, the old one gets it back.
void replace_folder(const std::filesystem::path& made, const std::filesystem::path& place);
// The first free name of PLACE.2, PLACE.3, ...; returns it.
std::filesystem::path put_beside(const std::filesystem::path& made, const std::filesystem::path& place);

}  // namespace outcome
