// in_flight(a, b) >= k, and unread(b) >= k.
#include <algorithm>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "evaluator.hpp"

namespace tmon_predicates {
namespace {

using tmon_order::RecordId;
using trace_record::EventKind;

constexpr const char* forgotten = "so many sends have no receive that some of them are forgotten";

std::pair<std::uint32_t, std::uint64_t> pair_of(RecordId id) {
    return {id.stream, id.number};
}

// Sends to one node whose receive has not come.
class Channel {
public:
    Channel(Messages messages, std::optional<std::uint16_t> from, std::uint16_t to)
        : messages_(messages), from_(from), to_(to) {}

    // True: one more message is sent. A send that is recorded behind its receive is none: it was never under way.
    bool is_sent(const Step& step) {
        const bool tasks = messages_ == Messages::Tasks;
        const bool send =
            tasks ? step.event.kind == EventKind::Send : step.event.kind == EventKind::SendCall && step.event.bytes != 0;
        if (!send || step.event.peer != to_ || (from_ && *from_ != step.id().stream)) return false;
        ++sends_;
        if (crossed_.erase(pair_of(step.id())) > 0) return false;
        sent_.insert(pair_of(step.id()));
        bound(sent_);
        return true;
    }
    // True: one of those is received.
    bool is_received(const Step& step) {
        const EventKind kind = messages_ == Messages::Tasks ? EventKind::Receive : EventKind::MessageReceive;
        if (step.event.kind != kind || step.id().stream != to_) return false;
        if (step.order.source) return sent_.erase(pair_of(step.order.source->id)) > 0;
        if (step.order.assumed == tmon_order::Assumed::Crossed && step.order.contradicted)
            crossed_.insert(pair_of(*step.order.contradicted));
        bound(crossed_);
        return false;
    }
    // Sends that nobody receives stay. Where too many stay, the first are forgotten: then the number may be too high.
    bool has_forgotten() const { return has_forgotten_; }
    // Tasks leave before their send is recorded. So only their total says how many were ever on their way.
    bool never_had(std::uint64_t least) const { return messages_ == Messages::Kernel || sends_ < least; }
    bool may_be_in(const trace_record::LossRange& loss) const {
        const bool here = loss.node == to_ || !from_ || loss.node == *from_;
        return here && loss.classes.has(messages_ == Messages::Tasks ? trace_record::EventClass::Task
                                                                     : trace_record::EventClass::Message);
    }

private:
    using Ids = std::set<std::pair<std::uint32_t, std::uint64_t>>;
    void bound(Ids& ids) {
        if (ids.size() <= PredicateWatch::most_sends) return;
        ids.erase(ids.begin(), std::next(ids.begin(), static_cast<std::ptrdiff_t>(ids.size() / 2)));
        has_forgotten_ = true;
    }

    const Messages messages_;
    const std::optional<std::uint16_t> from_;
    const std::uint16_t to_;
    Ids sent_, crossed_;
    bool has_forgotten_ = false;
    std::uint64_t sends_ = 0;
};

// A send's own past has the fewest receives of `to`, of all cuts with that send. So the number is at most that of the past.
class InFlight final : public Evaluator {
public:
    InFlight(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks)
        : Evaluator(clocks),
          to_(predicate.to),
          least_(predicate.least),
          nodes_(nodes),
          channel_(predicate.messages, predicate.from, predicate.to) {}

    void record(const Step& step) override {
        if (channel_.is_received(step)) receives_.push_back(step.position.count);
        if (!channel_.is_sent(step)) return;
        ++under_way_;
        for (; !receives_.empty() && receives_.front() <= step.position.up_to(to_); receives_.pop_front()) --under_way_;
        if (under_way_ < least_) return;
        Cut cut(nodes_);
        step.position.join_into(cut);
        const std::string doubt = channel_.has_forgotten() ? forgotten : clocks_.doubt(cut);
        holds(std::move(cut), {step.id()}, doubt);
    }
    bool may_be_in(const trace_record::LossRange& loss) const override { return channel_.may_be_in(loss); }
    bool is_told_by_records() const override { return channel_.never_had(least_); }
    std::size_t kept() const override { return receives_.size(); }

private:
    const std::uint16_t to_;
    const std::uint64_t least_;
    const std::uint16_t nodes_;
    Channel channel_;
    std::uint64_t under_way_ = 0;         // at the newest send of `from`, by its past
    std::deque<std::uint32_t> receives_;  // those of `to` that `from` does not know of yet
};

// The cuts are told apart by the place of `to`. A send is in a cut if its past has no later record of `to`. Between two
// receives of `to` the number can only grow, so there is one entry for each. An entry leaves when a later one has as many
// messages: it will always have as many. So there are at most k entries.
class Unread final : public Evaluator {
public:
    Unread(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks)
        : Evaluator(clocks), to_(predicate.to), least_(predicate.least), channel_(predicate.messages, {}, predicate.to) {
        places_.push_back({open, 0, Cut(nodes)});
    }

    void record(const Step& step) override {
        if (channel_.is_received(step)) {
            Place next = places_.back();
            places_.back().last = step.position.count - 1;
            --next.unread;
            step.position.join_into(next.cut);
            places_.push_back(std::move(next));
        }
        if (!channel_.is_sent(step)) return;
        for (Place& place : places_) {
            if (place.last < step.position.up_to(to_)) continue;
            ++place.unread;
            step.position.join_into(place.cut);
            if (place.unread >= least_)
                return holds(place.cut, {step.id()}, channel_.has_forgotten() ? forgotten : clocks_.doubt(place.cut));
        }
        drop_hopeless();
    }
    bool may_be_in(const trace_record::LossRange& loss) const override { return channel_.may_be_in(loss); }
    bool is_told_by_records() const override { return channel_.never_had(least_); }
    std::size_t kept() const override { return places_.size(); }

private:
    static constexpr std::uint32_t open = ~std::uint32_t{0};
    struct Place {
        std::uint32_t last = open;  // number of records of `to`, at most
        std::uint64_t unread = 0;
        Cut cut;  // the sends that count, and the last receive
    };

    void drop_hopeless() {
        std::uint64_t most = places_.back().unread;
        for (std::size_t i = places_.size() - 1; i-- > 0;) {
            if (places_[i].unread <= most)
                places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(i));
            else
                most = places_[i].unread;
        }
    }

    const std::uint16_t to_;
    const std::uint64_t least_;
    Channel channel_;
    std::vector<Place> places_;
};

}  // namespace

std::unique_ptr<Evaluator> make_in_flight(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) {
    return std::make_unique<InFlight>(predicate, nodes, clocks);
}
std::unique_ptr<Evaluator> make_unread(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) {
    return std::make_unique<Unread>(predicate, nodes, clocks);
}

}  // namespace tmon_predicates
