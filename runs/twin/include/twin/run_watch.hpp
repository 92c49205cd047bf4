// RunWatch: the data of a run for a comparison with another, recorded without modelled time. It notes the arrival of each
// result, the end of its critical path, and its content.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <hw_model/chronicle.hpp>
#include <session/session.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <twin/overhead.hpp>

namespace twin {

class RunWatch final : public trek_kernel::Witness {
public:
    // Needed only for path().
    void attach(trollius_hosted::Multicomputer& machine);
    // For a halo: instead of results, the exchanges that n0 has completed.
    void count_exchanges() { counts_exchanges_ = true; }
    // For MPI: instead of results, the ranks that have ended.
    void count_ranks() { counts_ranks_ = true; }

    void on_moved(const trek_kernel::TaskMoved& what, vocabulary::SimTime when) override;
    void on_step(const trek_kernel::TaskStep& what, vocabulary::SimTime when) override;
    void on_bug(const trek_kernel::BugStruck&, vocabulary::SimTime when) override { strike_ = std::min(strike_, when); }
    void on_finished(vocabulary::NodeId node, vocabulary::SimTime when) override;
    void on_result(const trek_kernel::ResultTaken& what, vocabulary::SimTime when) override;

    bool full() const { return chronicle_.full(); }
    std::uint64_t results() const { return results_.empty() ? 0 : results_.back().count; }
    // When the first bug struck; never() when none did.
    vocabulary::SimTime first_strike() const { return strike_; }
    // Start of the spans: when the first task had moved or was computed in place, whether recorded or not; never() without a
    // task.
    vocabulary::SimTime began() const { return first_; }
    // Time from `began` to result number `count`, and the critical path of that time. 0 < count <= results().
    vocabulary::SimTime span(vocabulary::SimTime began, std::uint64_t count) const;
    std::vector<std::int64_t> spans_ps(vocabulary::SimTime began) const;  // to each result
    std::vector<PathShare> path(vocabulary::SimTime began, std::uint64_t count) const;
    std::vector<RunContent> contents() const;

private:
    struct Mark {
        std::uint64_t count;  // results so far, this one included
        vocabulary::SimTime when;
        hw_model::Chronicle::EntryNo last;  // of the process that took it
    };
    void result(std::uint32_t more, vocabulary::NodeId node, vocabulary::SimTime when);
    const Mark& mark(std::uint64_t count) const;

    trollius_hosted::Multicomputer* machine_ = nullptr;
    bool counts_exchanges_ = false, counts_ranks_ = false;
    hw_model::Chronicle chronicle_;
    vocabulary::SimTime first_ = vocabulary::SimTime::never(), strike_ = vocabulary::SimTime::never();
    std::vector<Mark> results_;
    std::map<std::uint32_t, std::uint64_t> contents_;  // hash by task
};

// Hash of any content: the first 64 bits of XXH3.
std::uint64_t hash_of(std::span<const std::byte> content);

}  // namespace twin
