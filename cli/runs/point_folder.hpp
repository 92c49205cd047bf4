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
    std::string out() const { return path_ + "/point"; }  // not there yet
    std::string in(const std::string& name) const { return path_ + '/' + name; }

private:
    std::string path_;
};

// The text without the places of such folders, which are others at each run: `case-3/plan.faults`, as in the line that repeats
// a point.
std::string without_point_folders(const std::string& text);

// Removes the folders of points of this process, and of processes of this host that are gone: those that were killed could not.
// Call in the process that starts the points, while none runs.
void clear_point_folders();

}  // namespace cli
