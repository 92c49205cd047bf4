// Rules of matching as the standard has them (MPI-3.1, 3.5 and 3.8), in the plainest form. It shares nothing with the library.
// Times do not exist here: a message is under way until arrive() is told, and lies or is matched from then on.
#pragma once
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lam_reference {

inline constexpr int any = -1;  // source or tag of a receive

struct Message {
    std::int64_t id = 0;
    int source = 0, destination = 0;  // ranks of the world
    int communicator = 0, tag = 0, bytes = 0;
};
struct Receive {
    std::int64_t id = 0;
    int rank = 0;  // that has posted it
    int source = any, communicator = 0, tag = any;
};

class Matcher {
public:
    explicit Matcher(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

    // A message to its own sender arrives at once.
    void send(const Message& message) {
        under_way_[{message.source, message.destination}].push_back(message);
        if (message.source == message.destination) arrive(message.source, message.destination);
    }
    // All that `source` has sent to `destination` so far.
    void arrive(int source, int destination) {
        auto& ways = under_way_[{source, destination}];
        for (const Message& message : ways) take(message);
        ways.clear();
    }
    void post(const Receive& receive) {
        Rank& rank = at(receive.rank);
        for (auto its = rank.unexpected.begin(); its != rank.unexpected.end(); ++its) {
            if (!fits(receive, *its)) continue;
            matched_.emplace(receive.id, *its);
            matched_sends_.emplace(its->id, receive.id);
            rank.unexpected.erase(its);
            return;
        }
        rank.posted.push_back(receive);
    }
    // The message that a receive has got.
    std::optional<Message> match(std::int64_t receive) const {
        const auto found = matched_.find(receive);
        return found == matched_.end() ? std::nullopt : std::optional(found->second);
    }
    bool is_received(std::int64_t message) const { return matched_sends_.count(message) > 0; }
    bool is_taken(std::int64_t message) const { return taken_.count(message) > 0; }
    // The earliest message that such a receive would get now. With `takes` nobody else gets it.
    std::optional<Message> probe(const Receive& pattern, bool takes) {
        auto& unexpected = at(pattern.rank).unexpected;
        for (auto its = unexpected.begin(); its != unexpected.end(); ++its) {
            if (!fits(pattern, *its)) continue;
            const Message found = *its;
            if (takes) {
                unexpected.erase(its);
                taken_.insert(found.id);
            }
            return found;
        }
        return std::nullopt;
    }
    // True: it was still without a message, and is gone.
    bool cancel_receive(int rank, std::int64_t id) {
        auto& posted = at(rank).posted;
        for (auto its = posted.begin(); its != posted.end(); ++its) {
            if (its->id != id) continue;
            posted.erase(its);
            return true;
        }
        return false;
    }
    // True: nobody has received it, and nobody will.
    bool cancel_send(const Message& message) {
        arrive(message.source, message.destination);
        auto& unexpected = at(message.destination).unexpected;
        for (auto its = unexpected.begin(); its != unexpected.end(); ++its) {
            if (its->id != message.id) continue;
            unexpected.erase(its);
            return true;
        }
        return false;
    }
    const std::list<Message>& unexpected(int rank) const { return ranks_.at(static_cast<std::size_t>(rank)).unexpected; }
    const std::list<Receive>& posted(int rank) const { return ranks_.at(static_cast<std::size_t>(rank)).posted; }
    // The receive of a message that a probe has taken.
    void give(std::int64_t receive, const Message& message) {
        taken_.erase(message.id);
        matched_.emplace(receive, message);
        matched_sends_.emplace(message.id, receive);
    }
    // Nobody asks for it any more.
    void forget(std::int64_t receive) {
        const auto found = matched_.find(receive);
        if (found == matched_.end()) return;
        matched_.erase(found);
    }

private:
    struct Rank {
        std::list<Message> unexpected;  // in the order of arrival
        std::list<Receive> posted;      // in the order of posting
    };

    static bool fits(const Receive& receive, const Message& message) {
        return receive.communicator == message.communicator && (receive.source == any || receive.source == message.source) &&
               (receive.tag == any || receive.tag == message.tag);
    }
    void take(const Message& message) {
        Rank& rank = at(message.destination);
        for (auto its = rank.posted.begin(); its != rank.posted.end(); ++its) {
            if (!fits(*its, message)) continue;
            matched_.emplace(its->id, message);
            matched_sends_.emplace(message.id, its->id);
            rank.posted.erase(its);
            return;
        }
        rank.unexpected.push_back(message);
    }
    Rank& at(int rank) { return ranks_.at(static_cast<std::size_t>(rank)); }

    std::vector<Rank> ranks_;
    std::map<std::pair<int, int>, std::deque<Message>> under_way_;
    std::map<std::int64_t, Message> matched_;             // by receive
    std::map<std::int64_t, std::int64_t> matched_sends_;  // receive of each message
    std::set<std::int64_t> taken_;                        // by probes, without a receive yet
};

}  // namespace lam_reference
