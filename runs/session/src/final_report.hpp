// FinalReport: the farm's final report as the host's screen shows it. TrEK prints it through the links when the program has
// ended. So it is all that a person beside the machine knows of the end and of the results. A program may print the same text,
// and then it goes on. So a report after which node 0 prints something is not the final one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace session {

class FinalReport {
public:
    // `nodes`: as many as the task distribution has lines for. `members`: of the farm. `counts_all`: the distribution counts
    // each task for the node that computes it, so that its sum is at least the results taken. That does not hold where tasks
    // are split or dead nodes are survived.
    FinalReport(std::size_t nodes, std::size_t members, std::uint32_t tasks, bool counts_all);

    void printed(const std::string& text);  // by node 0, in pieces of any length
    bool begun() const { return begun_; }   // its title is there, and nothing follows the report
    bool complete() const { return complete_; }
    void was_none();  // the program did not end: it printed the apparent report itself
    // Results that result_receiver() has taken. Nothing before the report is complete, or when it is not in TrEK's format: a
    // damaged report says nothing.
    std::optional<std::uint32_t> results() const { return results_; }

private:
    void line(const std::string& text);
    bool fits(std::uint64_t taken) const;

    std::size_t nodes_, members_;
    std::uint32_t tasks_;
    bool counts_all_;
    std::string open_;                // the line that is not ended yet
    std::vector<std::string> lines_;  // of the report, with the one before its title
    bool begun_ = false, complete_ = false;
    std::optional<std::uint32_t> results_;
};

}  // namespace session
