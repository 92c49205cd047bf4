// Lists of points as texts, in the manner of Slurm's arrays: "1-20,25". Points are numbered from 0 here and from 1 in the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sweeps {

std::string list_text(const std::vector<std::size_t>& points);
// Throws vocabulary::RequestError for what is no such list.
std::vector<std::size_t> points_of_list(const std::string& text);

// Points that a worker has under way, in a file that is still there when the worker has been killed.
class UnderWay {
public:
    UnderWay(const std::string& path, std::size_t at_once);  // throws vocabulary::HostError when it cannot be written
    ~UnderWay();  // without done(): the worker fails, but its points are not the reason
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    void begins(std::size_t point);
    void ended(std::size_t point);
    void done();  // all is well: removes the file

    // The points that a killed worker had under way; empty: there is no such file.
    static std::optional<std::vector<std::size_t>> left(const std::string& path);

private:
    void write(std::size_t slot);

    std::string path_;
    int file_;
    std::vector<std::optional<std::size_t>> slots_;
};

}  // namespace sweeps
