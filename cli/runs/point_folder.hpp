// A folder for one point of a study, for what its commands read. In memory where the host has such a place; TMPDIR names
// another.
#pragma once

#include <string>

namespace cli {

class PointFolder {
public:
    PointFolder();  // throws vocabulary::InputError or HostError with the folder
    PointFolder(const PointFolder&) = delete;
    PointFolder& operator=(const PointFolder&) = delete;
    ~PointFolder();
    std::string out() const { return path_ + "/out"; }  // not there yet

private:
    std::string path_;
};

// Removes the folders of points of this process, and of processes of this host that are gone: those that were killed could not.
// Call in the process that starts the points, while none runs.
void clear_point_folders();

}  // namespace cli
