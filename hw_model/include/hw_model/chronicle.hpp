// Chronicle: a log of every Activity of a Machine, free of modelled time. It records every use of a processor with its purpose,
// every wait with its cause, and every message of a link. A walk back from a moment finds the critical path to it
// (twin/critical_path.hpp).
//
// Machine::attach() attaches it before the run; without one each hook is a comparison with nullptr. Memory: 32 bytes an entry,
// 64 a transfer, about six entries a message. Recording stops at `most_entries`, and full() says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <hw_model/activity.hpp>
#include <hw_model/link_protocol.hpp>
#include <vocabulary/account.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace hw_model {

using vocabulary::SimTime;

class Chronicle {
public:
    // The purpose of a charge is the account that pays. `what` is a detail; the charging code defines its numbers.
    using Account = vocabulary::Account;
    using EntryNo = std::uint32_t;
    static constexpr EntryNo none = 0xffffffff;
    static constexpr std::size_t most_entries = std::size_t{1} << 25;  // 1 GiB, and about as many bytes again of transfers

    enum class Kind : std::uint8_t {
        Use,     // the activity had the processor
        Switch,  // the scheduler used it to start, pre-empt or resume the activity
        Memory,  // messages took its memory cycles; `what` is the number of their account, 0 for the work itself
        Wait,    // it waited, until `why`
    };
    enum class Why : std::uint8_t { Unknown, Activity, Received, Sent, Timer, Event };
    struct Entry {
        SimTime from, until;
        EntryNo before;       // the same activity's entry before this; none: its first
        EntryNo by;           // for a wait: last entry of the activity that ended it, or number of the transfer
        std::uint32_t actor;  // its activity, by number
        Kind kind;
        Why why;
        Account purpose;
        std::uint8_t what;
    };
    // A message that has arrived, as seen at one of its two ends.
    struct Transfer {
        SimTime offered;        // joined the queue of the link
        SimTime first;          // became first in that queue
        SimTime wanted;         // the receiver began to wait
        SimTime began, done;    // on the wire
        EntryNo sender_before;  // last entry of the sender at `offered`, of the receiver at `wanted`
        EntryNo receiver_before;
        std::uint32_t bytes;
        std::uint16_t node;  // node of the sending end
        std::uint8_t link, switches;
        Account account;  // the message's
        Account purpose;  // the one that the sender works for
    };

    // Calls of the charging code
    void charge(Activity& activity, Account purpose, std::uint8_t what, vocabulary::Cycles cycles);
    // The activity works for `purpose` from now on; a charge may name another.
    void set_purpose(Activity& activity, Account purpose) { actor(activity).purpose = purpose; }
    Account purpose_of(Activity& activity) { return actor(activity).purpose; }

    // Processor
    void started(Activity& activity, vocabulary::NodeId node, SimTime now);
    // A use begins: a switch of `switch_ps`, then `cycles` of code, which take `ps`.
    void use_begins(Activity& activity, vocabulary::Cycles cycles, std::int64_t ps, std::int64_t switch_ps);
    void resumes(Activity& activity, std::int64_t switch_ps);
    // The links took memory cycles from its use, which ends `ps` later.
    void stolen(Activity& activity, std::int64_t ps);
    void used(Activity& activity, SimTime from, SimTime until);
    void waits(Activity& activity, SimTime now) { actor(activity).waits_since = now; }
    // `by`: the activity whose code made it ready; nullptr: none.
    void ready(Activity& activity, SimTime now, Activity* by);
    void timer(Activity& activity) { reason_ = {Why::Timer, none, &activity}; }
    void event(Activity& activity) { reason_ = {Why::Event, none, &activity}; }
    void no_reason() { reason_ = {}; }

    // Adds memory cycles that links take at a node; stolen() books them. Cycles for a tool's messages are kept apart.
    void steals(std::uint16_t node, Account account, std::int64_t ps);
    void steals_at_rate(std::uint16_t node, Account account, std::int64_t more);
    void gathered(std::uint16_t node, std::int64_t ps, std::int64_t rate);  // taken at `rate`, all accounts together
    void forget_stolen(std::uint16_t node);

    // Links
    struct End {
        std::uint16_t node = 0;
        std::uint8_t link = 0;
    };
    void at_link(Activity& activity, End end, SimTime now);  // it sends or receives at `end` from now on
    void begins(const LinkMessage& message, Activity* receiver);
    void first(const LinkMessage& message, SimTime since);
    void arrived(const LinkMessage& message, SimTime now, Activity& receiver);
    void sent(const LinkMessage& message, SimTime now);

    bool full() const { return full_; }
    EntryNo last_of(const Activity& activity) const;  // `none` if it has none
    const std::vector<Entry>& entries() const { return entries_; }
    const std::vector<Transfer>& transfers() const { return transfers_; }
    const std::vector<std::uint32_t>& sent_transfers() const { return sent_; }  // at the sending end, so each message once
    vocabulary::NodeId node_of(std::uint32_t number) const { return actors_[number].node; }

private:
    struct Charge {
        Account purpose;
        std::uint8_t what;
        Kind kind;
        std::int64_t amount;  // cycles, then ps
    };
    struct Actor {
        vocabulary::NodeId node;
        EntryNo last = none;
        SimTime waits_since;
        Account purpose;
        std::vector<Charge> unpaid, use;  // `use` is reversed: the first charge is last
        // The current use: time of its code, the part with a purpose, and the last purpose; then the last charge.
        std::int64_t code_ps = 0, purposed_ps = 0;
        Account last_named;
        Charge done{};
        // The link end it sends or receives at
        End end;
        SimTime at_link, first, peer_at_link;
        EntryNo before_link = none, peer_before_link = none;
    };
    struct Reason {
        Why why = Why::Unknown;
        EntryNo by = none;
        const Activity* whose = nullptr;
    };
    Actor& actor(Activity& activity);
    static void add_memory(Actor& it, Account purpose, Account messages, std::int64_t ps);
    struct Theft {  // memory cycles for messages of tools
        vocabulary::ByAccount<std::int64_t> ps, rate;
    };
    Theft& theft(std::uint16_t node);
    void add(Actor& of, std::uint32_t number, Entry entry);
    std::uint32_t transfer(const LinkMessage& message, SimTime now);

    std::vector<Entry> entries_;
    std::vector<Transfer> transfers_;
    std::vector<std::uint32_t> sent_;
    std::deque<Actor> actors_;
    std::vector<Account> last_purpose_;  // by node: the last user of its processor
    std::vector<Theft> thefts_;          // by node
    Reason reason_;
    bool full_ = false;
};

}  // namespace hw_model
