// Breakpoints: predicates that `magicwire shell` waits for, on the records as the host receives them, in causal order. Without
// one it does nothing. It reads no truth.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tmon_order/trace_sorter.hpp>
#include <tmon_predicates/predicate_watch.hpp>
#include <tmon_streams/trace.hpp>
#include <tmon_streams/trace_feed.hpp>

namespace cli {

struct Breakpoint {
    std::size_t number = 0;
    tmon_predicates::Predicate predicate;
    tmon_predicates::PredicateAnswer answer;  // once it holds, as it was then
    std::size_t changes = 0;                  // of the session, made before it was told that it holds

    // True when the state of this node is a part of what the predicate says.
    bool names(std::uint16_t node) const;
};

class Breakpoints final : public tmon_streams::TraceFeed {
public:
    // `next` gets all that this gets; it may be null. `stop`: called in an event of the machine when a predicate holds.
    // `classes`: those that the nodes record.
    Breakpoints(std::uint16_t nodes, trace_record::ClassSet classes, tmon_streams::TraceFeed* next, std::function<void()> stop);
    ~Breakpoints() override;
    Breakpoints(const Breakpoints&) = delete;
    Breakpoints& operator=(const Breakpoints&) = delete;

    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;
    void heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) override;
    void moment(std::uint64_t came_us) override;
    // Somebody switched classes or monitors: no class is known to be recorded all the time.
    void classes_switched();

    // `so_far`: the records that the host has already. Cost: one pass over them. Throws vocabulary::InputError.
    const Breakpoint& add(const std::string& predicate, const tmon_streams::Trace& so_far);
    std::size_t last_number() const { return numbers_; }
    void numbers_begin_behind(std::size_t number) { numbers_ = std::max(numbers_, number); }  // others have those
    // Empty: all. False: there is none of that number.
    bool remove(std::optional<std::size_t> number);
    const std::vector<Breakpoint>& all() const { return all_; }
    trace_record::ClassSet classes() const { return classes_; }  // recorded all the time
    // No more records come: what does not hold now never will.
    void finish();

    // Breakpoints whose predicate has become true, and that were not told yet.
    bool has_news() const { return !news_.empty(); }
    // Tells them. `changes`: of the session so far.
    std::vector<Breakpoint> take_news(std::size_t changes);
    const Breakpoint& tell_last(std::size_t changes);  // the one added last, if it holds

    // All of them as text, for an earlier moment of the run.
    std::string text() const;
    // At that moment: these instead of those that are here. Says which wait that did not before, as numbers.
    std::vector<std::size_t> replace(const std::string& text, const tmon_streams::Trace& so_far);
    const Breakpoint* last_hit() const { return last_hit_ ? find(*last_hit_) : nullptr; }

private:
    struct Watching;
    void watch_again(const tmon_streams::Trace& so_far);
    void look(bool stops);
    const Breakpoint* find(std::size_t number) const;

    const std::uint16_t nodes_;
    trace_record::ClassSet classes_;
    tmon_streams::TraceFeed* const next_;
    const std::function<void()> stop_;
    std::vector<Breakpoint> all_;
    std::size_t numbers_ = 0;
    std::unique_ptr<Watching> watching_;  // null: nothing is waited for
    std::vector<std::size_t> news_;
    std::optional<std::size_t> last_hit_;
};

}  // namespace cli
