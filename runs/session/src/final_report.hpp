// FinalReport: the final report of a farm or a halo as the host's screen shows it. TrEK prints it through the links when the
// program has ended. So it is all that a person beside the machine knows about the end and the results. A program may print the
// same text and go on. So a report followed by other output of node 0 is not the final one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace session {

class FinalReport {
public:
    // `nodes`: lines of the task distribution. `members`: nodes of the farm. `counts_all`: the distribution counts each task
    // for the node that computes it, so its sum is at least the number of results taken. False where tasks are split or dead
    // nodes are survived.
    enum class Of : std::uint8_t { Farm, Halo };
    FinalReport(std::size_t nodes, std::size_t members, std::uint32_t tasks, bool counts_all, Of of = Of::Farm);

    void printed(const std::string& text);  // by node 0, in pieces of any length
    bool begun() const { return begun_; }   // the title has come, and nothing follows the report
    bool complete() const { return complete_; }
    void was_none();  // call when the program went on: it printed the apparent report itself
    // Number of results that result_receiver() took. Empty before the report is complete, or when it is not in TrEK's format,
    // such as a damaged report or that of a halo.
    std::optional<std::uint32_t> results() const { return results_; }

private:
    void line(const std::string& text);
    bool fits(std::uint64_t taken) const;

    std::size_t nodes_, members_;
    std::uint32_t tasks_;
    bool counts_all_;
    Of of_;
    std::string open_;                // the unfinished line
    std::vector<std::string> lines_;  // of the report, and the line before its title
    bool begun_ = false, complete_ = false;
    std::optional<std::uint32_t> results_;
};

}  // namespace session
