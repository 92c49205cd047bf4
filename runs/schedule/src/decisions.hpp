// Decisions: those of all buffer managers of a run, in their order, until a record is lost. The first are prescribed, and all
// after them say yes. Also notes when the first record was made.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <instrumentation/record_watch.hpp>
#include <vocabulary/contract.hpp>

namespace schedule {

// One byte a decision, 1: look at once, or unload.
using Way = std::string;

class Decisions final : public instrumentation::RecordWatch {
public:
    // Precondition: nothing has been decided or lost.
    void prescribe(Way way) {
        EXPECTS(taken_.empty() && !lost_, "loss_proof.beginning");
        prescribed_ = std::move(way);
    }
    bool next() {
        if (lost_) return true;
        const bool yes = taken_.size() >= prescribed_.size() || prescribed_[taken_.size()] != 0;
        taken_ += static_cast<char>(yes);
        return yes;
    }
    void made(vocabulary::NodeId, trace_record::EventClass, vocabulary::SimTime when, bool lost) override {
        if (!first_) first_ = when;
        lost_ = lost_ || lost;
    }
    bool lost() const { return lost_; }
    const Way& taken() const { return taken_; }
    const std::optional<vocabulary::SimTime>& first() const { return first_; }

private:
    Way prescribed_, taken_;
    bool lost_ = false;
    std::optional<vocabulary::SimTime> first_;
};

}  // namespace schedule
