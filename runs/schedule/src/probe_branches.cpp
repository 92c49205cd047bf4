// Runs that share their beginning: it is run once, and each run goes on alone in a fork.
#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>
#include <utility>

#include <forks/forks.hpp>
#include <session/live_session.hpp>
#include <vocabulary/contract.hpp>

#include <forks/child_pool.hpp>
#include "probe_run.hpp"

namespace schedule {
namespace {

using instrumentation::UnloadSequence;
using vocabulary::SimTime;

constexpr std::uint64_t least_wait_us = 500;
constexpr std::uint64_t fastest = 2;  // no clock goes so many times as fast as time: the worst drift is of the order of 1e-4

// Clock of the node whose monitor is furthest; 0 before the first is switched on.
std::uint64_t latest_clock_us(session::LiveSession& live) {
    std::uint64_t latest = 0;
    for (const auto& monitor : live.monitors()) {
        const instrumentation::MonitorState& state = monitor->state();
        if (!state.has_begun) continue;
        const std::uint64_t now = live.machine().port(state.node).clock_us(trollius_os::Priority::High);
        latest = std::max(latest, now - std::min(now, state.began_us));
    }
    return latest;
}

// In a child: the run until the last of the moments, and the rests in forks of it.
class Trunk final : public ProbeWatch {
public:
    explicit Trunk(const std::vector<UnloadSequence>& sequences) : sequences_(sequences), order_(sequences.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) { return until(a) < until(b); });
    }

    // The runs one after the other, each with its length.
    std::string go(scenario::Scenario scenario, const ProbeOptions& options) {
        instrumentation::UnloadCommand first = sequences_.front().commands().front();
        first.until_us = until(order_.back());
        scenario.monitor->unload = UnloadSequence({first});
        std::string own;
        try {
            own = packed(probe_run(scenario, options, this));
        } catch (const std::exception& error) {
            if (!branch_) throw;
            forks_.fail(error);
        }
        if (branch_) forks_.deliver(own);
        forks_.wait(0);
        return gathered(own);
    }

    SimTime look(session::LiveSession& live) override {
        const std::uint64_t clock = latest_clock_us(live);
        const auto left_us = [&] { return until(order_[begun_]) - std::min(until(order_[begun_]), clock); };
        while (begun_ < order_.size() && left_us() <= fastest * least_wait_us) {
            forks_.wait(forks::children_at_once - 1);
            const std::size_t next = order_[begun_++];
            if (!forks_.start()) continue;
            branch_ = next;
            scenario::Scenario changed = live.scenario();
            changed.monitor->unload = sequences_[next];
            live.go_by(changed, session::LiveSession::Changed::Monitor);
            return SimTime::never();
        }
        return enough() ? SimTime::never() : live.now() + SimTime::us(static_cast<std::int64_t>(left_us() / fastest));
    }
    bool enough() const override { return !branch_ && begun_ == order_.size(); }

private:
    std::uint64_t until(std::size_t number) const { return sequences_[number].commands().front().until_us; }

    // A run that ended before a moment came is the run of that moment, too, whatever was to come.
    std::string gathered(const std::string& own) const {
        std::vector<std::string> texts(order_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) {
            if (i >= begun_) {
                texts[order_[i]] = own;
                continue;
            }
            const forks::ChildAnswer& answer = forks_.answers()[i];
            ProbeRun failed;
            failed.failure = "a branch of the run failed: " + answer.failure;
            texts[order_[i]] = answer.how == forks::ChildAnswer::How::Done ? answer.bytes : packed(failed);
        }
        forks::Bytes all;
        for (const std::string& text : texts) all.put_text(text);
        return all.take_bytes();
    }

    const std::vector<UnloadSequence>& sequences_;
    std::vector<std::size_t> order_;  // by their moments
    std::size_t begun_ = 0;
    std::optional<std::size_t> branch_;  // in a fork: its number
    forks::Forks forks_;
};

}  // namespace

std::vector<ProbeRun> probe_branches(const scenario::Scenario& scenario, const std::vector<UnloadSequence>& sequences,
                                     const ProbeOptions& options, const std::function<bool(std::size_t)>& go_on) {
    EXPECTS(!sequences.empty() && scenario.monitor, "probe_branches.none");
    const auto& first = sequences.front().commands().front();
    for (const UnloadSequence& sequence : sequences) {
        const auto& its = sequence.commands().front();
        EXPECTS(its.lower == first.lower && its.upper == first.upper, "probe_branches.beginning");
    }
    auto answers = forks::run_children(
        1, [&](std::size_t) { return Trunk(sequences).go(scenario, options); }, [&](std::size_t) { return go_on(0); });
    std::vector<ProbeRun> runs(sequences.size());
    forks::ChildAnswer& answer = answers.front();
    forks::Bytes bytes(std::move(answer.bytes));
    for (ProbeRun& run : runs) {
        if (answer.how == forks::ChildAnswer::How::Done) {
            run = unpacked(bytes.get_text());
        } else {
            run.failure = answer.how == forks::ChildAnswer::How::Failed ? answer.failure : not_run;
        }
    }
    return runs;
}

}  // namespace schedule
