// Chronicle: notes the actions of each Activity of a Machine and why it could go on, as they happen and without modelled time.
// It notes every use of a processor with its purpose, every wait with its end, and every message of a link. A walk back through
// it from a moment finds what that moment waited for (twin/critical_path.hpp).
//
// Attached by Machine::attach() before the run; without one each hook is a comparison with nullptr. Memory: 32 bytes an entry,
// 64 a transfer, about six entries a message. Nothing more is noted after `most_entries`, and full() says so.
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
    // The purpose of a charge is the account that pays. `what`: its detail, in the numbering of the charging code.
    using Account = vocabulary::Account;
    using EntryNo = std::uint32_t;
    static constexpr EntryNo none = 0xffffffff;
    static constexpr std::size_t most_entries = std::size_t{1} << 25;  // 1 GiB, and about as many bytes again of transfers

    enum class Kind : std::uint8_t {
        Use,     // it had the processor
        Switch,  // it had it, but the scheduler took the time: to start, pre-empt or resume it
        Memory,  // it had it, but messages took the memory cycles; `what` is the number of their account, 0 for the work itself
        Wait,    // until `why`
    };
    enum class Why : std::uint8_t { Unknown, Activity, Received, Sent, Timer, Event };
    struct Entry {
        SimTime from, until;
        EntryNo before;       // the same activity's entry before this; none: its first
        EntryNo by;           // of a wait: last entry of the activity that ended it, or number of the transfer
        std::uint32_t actor;  // whose
        Kind kind;
        Why why;
        Account purpose;
        std::uint8_t what;
    };
    // A message, when it had arrived at one of its two ends.
    struct Transfer {
        SimTime offered;        // to the queue of the link
        SimTime first;          // of that queue since then
        SimTime wanted;         // by the receiver
        SimTime began, done;    // on the wire
        EntryNo sender_before;  // last entry of the sender when it offered it, of the receiver when it wanted it
        EntryNo receiver_before;
        std::uint32_t bytes;
        std::uint16_t node;  // of the sending end
        std::uint8_t link, switches;
        Account account;  // of the message
        Account purpose;  // for which the sender works
    };

    // Calls of the charging code
    void charge(Activity& activity, Account purpose, std::uint8_t what, vocabulary::Cycles cycles);
    // From now on the activity works for `purpose`, unless a charge says otherwise.
    void set_purpose(Activity& activity, Account purpose) { actor(activity).purpose = purpose; }
    Account purpose_of(Activity& activity) { return actor(activity).purpose; }

    // Processor
    void started(Activity& activity, vocabulary::NodeId node, SimTime now);
    // A use of `cycles` of code, which take `ps`, after a switch of `switch_ps`.
    void use_begins(Activity& activity, vocabulary::Cycles cycles, std::int64_t ps, std::int64_t switch_ps);
    void resumes(Activity& activity, std::int64_t switch_ps);
    // The links have taken memory cycles from its use, which ends that much later.
    void stolen(Activity& activity, std::int64_t ps);
    void used(Activity& activity, SimTime from, SimTime until);
    void waits(Activity& activity, SimTime now) { actor(activity).waits_since = now; }
    // `by`: the activity in whose code it becomes ready; nullptr: none.
    void ready(Activity& activity, SimTime now, Activity* by);
    void timer(Activity& activity) { reason_ = {Why::Timer, none, &activity}; }
    void event(Activity& activity) { reason_ = {Why::Event, none, &activity}; }
    void no_reason() { reason_ = {}; }

    // Memory cycles that the links take at a node, until stolen() books them. Those for a tool's messages are kept apart.
    void steals(std::uint16_t node, Account account, std::int64_t ps);
    void steals_at_rate(std::uint16_t node, Account account, std::int64_t more);
    void gathered(std::uint16_t node, std::int64_t ps, std::int64_t rate);  // taken at that rate, by all accounts together
    void forget_stolen(std::uint16_t node);

    // Links
    struct End {
        std::uint16_t node = 0;
        std::uint8_t link = 0;
    };
    void at_link(Activity& activity, End end, SimTime now);  // sends or receives there from now on
    void begins(const LinkMessage& message, Activity* receiver);
    void first(const LinkMessage& message, SimTime since);
    void arrived(const LinkMessage& message, SimTime now, Activity& receiver);
    void sent(const LinkMessage& message, SimTime now);

    bool full() const { return full_; }
    EntryNo last_of(const Activity& activity) const;  // none when it has none
    const std::vector<Entry>& entries() const { return entries_; }
    const std::vector<Transfer>& transfers() const { return transfers_; }
    const std::vector<std::uint32_t>& sent_transfers() const { return sent_; }  // those of senders: each message once
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
        std::vector<Charge> unpaid, use;  // `use` from the end: what comes first is last
        // The current use: its code, how much of that has a purpose, and the last of these purposes; then the charge done last.
        std::int64_t code_ps = 0, purposed_ps = 0;
        Account last_named;
        Charge done{};
        // At a link
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
    struct Theft {  // for messages of tools
        vocabulary::ByAccount<std::int64_t> ps, rate;
    };
    Theft& theft(std::uint16_t node);
    void add(Actor& of, std::uint32_t number, Entry entry);
    std::uint32_t transfer(const LinkMessage& message, SimTime now);

    std::vector<Entry> entries_;
    std::vector<Transfer> transfers_;
    std::vector<std::uint32_t> sent_;
    std::deque<Actor> actors_;
    std::vector<Account> last_purpose_;  // by node: who had its processor last
    std::vector<Theft> thefts_;          // by node
    Reason reason_;
    bool full_ = false;
};

}  // namespace hw_model
