#include <hw_model/chronicle.hpp>

#include <algorithm>
#include <utility>

namespace hw_model {
namespace {
__extension__ typedef __int128 Wide;
}

static_assert(sizeof(Chronicle::Entry) == 32, "as the header says");
static_assert(sizeof(Chronicle::Transfer) == 64, "as the header says");

Chronicle::Actor& Chronicle::actor(Activity& activity) {
    if (activity.actor_ == 0) {
        actors_.emplace_back();
        activity.actor_ = static_cast<std::uint32_t>(actors_.size());
    }
    return actors_[activity.actor_ - 1];
}

Chronicle::EntryNo Chronicle::last_of(const Activity& activity) const {
    return activity.actor_ == 0 ? none : actors_[activity.actor_ - 1].last;
}

void Chronicle::add(Actor& of, std::uint32_t number, Entry entry) {
    if (entries_.size() >= most_entries) {
        full_ = true;
        return;
    }
    entry.before = of.last;
    entry.actor = number;
    of.last = static_cast<EntryNo>(entries_.size());
    entries_.push_back(entry);
}

void Chronicle::charge(Activity& activity, Account purpose, std::uint8_t what, vocabulary::Cycles cycles) {
    if (cycles.count() == 0) return;
    auto& unpaid = actor(activity).unpaid;
    if (!unpaid.empty() && unpaid.back().purpose == purpose && unpaid.back().what == what) {
        unpaid.back().amount += cycles.count();
    } else {
        unpaid.push_back({purpose, what, Kind::Use, cycles.count()});
    }
}

void Chronicle::started(Activity& activity, vocabulary::NodeId node, SimTime now) {
    Actor& it = actor(activity);
    it.node = node;
    it.waits_since = now;
    if (last_purpose_.size() <= node.value()) last_purpose_.resize(node.value() + std::size_t{1});
}

// Cycles without a charge count for the activity's own purpose. A fault that makes a node very slow can make a use longer than
// its cycles. The rest then counts for the last charge.
void Chronicle::use_begins(Activity& activity, vocabulary::Cycles cycles, std::int64_t ps, std::int64_t switch_ps) {
    Actor& it = actor(activity);
    std::int64_t named = 0;
    for (const Charge& charge : it.unpaid) named += charge.amount;
    if (cycles.count() > named) it.unpaid.push_back({it.purpose, 0, Kind::Use, cycles.count() - named});
    it.use.clear();
    const std::int64_t per_cycle = cycles.count() > 0 ? ps / cycles.count() : 0;
    std::int64_t left = ps;
    for (Charge& charge : it.unpaid) {
        charge.amount = std::min(left, charge.amount * per_cycle);
        left -= charge.amount;
    }
    if (!it.unpaid.empty()) it.unpaid.back().amount += left;
    it.code_ps = ps;
    it.purposed_ps = 0;
    for (const Charge& charge : it.unpaid) {
        if (charge.purpose == Account()) continue;
        it.purposed_ps += charge.amount;
        it.last_named = charge.purpose;
    }
    it.use.assign(it.unpaid.rbegin(), it.unpaid.rend());
    it.unpaid.clear();
    if (switch_ps > 0) it.use.push_back({it.use.empty() ? it.purpose : it.use.back().purpose, 0, Kind::Switch, switch_ps});
}

// The cost of coming back is charged to the purpose of the activity that had the processor in between.
void Chronicle::resumes(Activity& activity, std::int64_t switch_ps) {
    Actor& it = actor(activity);
    it.use.push_back({last_purpose_[it.node.value()], 0, Kind::Switch, switch_ps});
}

void Chronicle::add_memory(Actor& it, Account purpose, Account messages, std::int64_t ps) {
    if (ps <= 0) return;
    const std::uint8_t what = messages.value();
    for (Charge& charge : it.use) {
        if (charge.kind != Kind::Memory) break;
        if (charge.purpose == purpose && charge.what == what) {
            charge.amount += ps;
            return;
        }
    }
    it.use.insert(it.use.begin(), {purpose, what, Kind::Memory, ps});
}

Chronicle::Theft& Chronicle::theft(std::uint16_t node) {
    if (thefts_.size() <= node) thefts_.resize(node + std::size_t{1});
    return thefts_[node];
}

void Chronicle::steals(std::uint16_t node, Account account, std::int64_t ps) {
    if (vocabulary::is_tool(account)) theft(node).ps[account] += ps;
}

void Chronicle::steals_at_rate(std::uint16_t node, Account account, std::int64_t more) {
    if (vocabulary::is_tool(account)) theft(node).rate[account] += more;
}

void Chronicle::gathered(std::uint16_t node, std::int64_t ps, std::int64_t rate) {
    Theft& it = theft(node);
    for (std::uint8_t number = 0; number < vocabulary::accounts; ++number) {
        const Account account(number);
        if (it.rate[account] <= 0) continue;
        it.ps[account] += static_cast<std::int64_t>(static_cast<Wide>(ps) * it.rate[account] / rate);
    }
}

void Chronicle::forget_stolen(std::uint16_t node) {
    theft(node).ps = {};
}

// They are paid at the end of the use. Cycles that messages of the work itself take while the processor works for some purpose
// are charged to that purpose. Without that work they would have been free.
void Chronicle::stolen(Activity& activity, std::int64_t ps) {
    Actor& it = actor(activity);
    const Theft& tools = theft(it.node.value());
    std::int64_t programs_ps = ps;
    for (const std::int64_t tool_ps : tools.ps) programs_ps -= tool_ps;
    std::int64_t named = 0;
    if (it.purposed_ps > 0) {
        const double part = static_cast<double>(it.purposed_ps) / static_cast<double>(it.code_ps);
        named = std::min(programs_ps, static_cast<std::int64_t>(static_cast<double>(programs_ps) * part));
    }
    add_memory(it, Account(), Account(), programs_ps - named);
    add_memory(it, it.last_named, Account(), named);
    for (std::uint8_t number = 0; number < vocabulary::accounts; ++number)
        add_memory(it, Account(), Account(number), tools.ps[Account(number)]);
}

// A use that a fault has made longer counts the extra time for its last charge.
void Chronicle::used(Activity& activity, SimTime from, SimTime until) {
    if (from == until) return;
    Actor& it = actor(activity);
    while (from < until) {
        if (it.use.empty()) it.use.push_back({it.done.purpose, it.done.what, Kind::Use, (until - from).in_ps()});
        Charge& charge = it.use.back();
        const SimTime end = std::min(until, from + SimTime::ps(charge.amount));
        if (end > from)
            add(it, activity.actor_ - 1, {from, end, none, none, 0, charge.kind, Why::Unknown, charge.purpose, charge.what});
        charge.amount -= (end - from).in_ps();
        last_purpose_[it.node.value()] = charge.purpose;
        if (charge.amount <= 0) {
            if (charge.kind == Kind::Use) it.done = charge;
            it.use.pop_back();
        }
        from = end;
    }
}

void Chronicle::ready(Activity& activity, SimTime now, Activity* by) {
    Actor& it = actor(activity);
    Entry entry{it.waits_since, now, none, none, 0, Kind::Wait, Why::Unknown, it.purpose, 0};
    if (by != nullptr) {
        entry.why = Why::Activity;
        entry.by = last_of(*by);
    } else if (reason_.whose == &activity) {
        entry.why = reason_.why;
        entry.by = reason_.by;
    }
    add(it, activity.actor_ - 1, entry);
}

void Chronicle::at_link(Activity& activity, End end, SimTime now) {
    Actor& it = actor(activity);
    it.end = end;
    it.at_link = it.first = now;
    it.before_link = it.last;
    it.peer_at_link = SimTime();
    it.peer_before_link = none;
}

void Chronicle::first(const LinkMessage& message, SimTime since) {
    if (message.sender != nullptr) actor(*message.sender).first = since;
}

void Chronicle::begins(const LinkMessage& message, Activity* receiver) {
    if (message.sender == nullptr || receiver == nullptr) return;
    const Actor& peer = actor(*receiver);
    Actor& it = actor(*message.sender);
    it.peer_at_link = peer.at_link;
    it.peer_before_link = peer.before_link;
}

std::uint32_t Chronicle::transfer(const LinkMessage& message, SimTime now) {
    const Actor& it = actor(*message.sender);
    transfers_.push_back({.offered = it.at_link,
                          .first = it.first,
                          .wanted = it.peer_at_link,
                          .began = std::min(message.began, now),
                          .done = now,
                          .sender_before = it.before_link,
                          .receiver_before = it.peer_before_link,
                          .bytes = message.wire_bytes,
                          .node = it.end.node,
                          .link = it.end.link,
                          .switches = static_cast<std::uint8_t>(message.switches),
                          .account = message.account,
                          .purpose = it.purpose});
    return static_cast<std::uint32_t>(transfers_.size() - 1);
}

void Chronicle::arrived(const LinkMessage& message, SimTime now, Activity& receiver) {
    reason_ = {};
    if (message.sender == nullptr || full_) return;
    reason_ = {Why::Received, transfer(message, now), &receiver};
}

void Chronicle::sent(const LinkMessage& message, SimTime now) {
    reason_ = {};
    if (message.sender == nullptr || full_) return;
    reason_ = {Why::Sent, transfer(message, now), message.sender};
    sent_.push_back(reason_.by);
}

}  // namespace hw_model
