#include <trollius_os/kernel.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <trollius_os/api.hpp>
#include <trollius_os/circuits.hpp>
#include <vocabulary/contract.hpp>

namespace trollius_os {
namespace {

std::uint32_t copied(const Message& from, const Message& to) {
    const std::size_t offered = std::min<std::size_t>(from.length, from.body.size());
    return static_cast<std::uint32_t>(to.any_body != nullptr ? offered : std::min(offered, to.body.size()));
}

}  // namespace

Kernel::Kernel(NodePort& port, NodeId node, const KernelCosts& costs)
    : port_(port),
      node_(node),
      costs_(costs),
      half_(port.cycles(SimTime::ps(costs.rendezvous.in_ps() / 2))),
      next_pid_(first_pid) {
    has_system_memory_ = port_.take_memory(costs.system_memory);
}

Kernel::~Kernel() = default;

void Kernel::drop(const char* where, const char* why, std::int64_t task, std::uint32_t subtask) {
    ++dropped_damaged_;
    for (Witness* witness : witnesses_) witness->on_dropped({node_, port_.now(), where, why, task, subtask});
}

void Kernel::tell_witnesses(const KernelEvent& what, Calls& calls) const {
    for (Witness* witness : witnesses_) witness->on_event(what, calls.process(), port_.now());
}

// Keeps the event while the probe waits.
Task<> Kernel::tell_probe(KernelEvent what, Calls& calls) {
    co_await probe_->on(what, calls);
}

bool Kernel::meet(const Process& one, const Process& other) {
    return types_meet(one.last_type_, other.last_type_) && one.meets_circuits_ == other.meets_circuits_;
}

Process* Kernel::take_match(const Process& caller, Waiting& waiting) {
    auto match = std::find_if(waiting.begin(), waiting.end(), [&caller](const Process* p) { return meet(*p, caller); });
    if (delivery_ != nullptr && match != waiting.end()) [[unlikely]]
        match = choose(caller, waiting, match);
    if (match == waiting.end()) return nullptr;
    Process* process = *match;
    waiting.erase(match);
    return process;
}

// The policy's choice; the end when it wants none of them. `first`: the process that came first.
Kernel::Waiting::iterator Kernel::choose(const Process& caller, Waiting& waiting, Waiting::iterator first) {
    Waiting candidates;
    std::copy_if(first, waiting.end(), std::back_inserter(candidates),
                 [&](const Process* p) { return p->kernel_priority_ == (*first)->kernel_priority_ && meet(*p, caller); });
    const std::optional<std::size_t> choice = delivery_->choose(caller, candidates);
    if (!choice) return waiting.end();
    EXPECTS(*choice < candidates.size(), "kernel.delivery.choice");
    return std::find(first, waiting.end(), candidates[*choice]);
}

// The rendez-vous that `payer` pays for happens now.
void Kernel::finish_rendezvous(Process& payer) {
    Process& partner = *std::exchange(payer.partner_, nullptr);
    ++rendezvous_;
    if (partner.state_ == ProcessState::BlockedSending) {
        exchange(partner, *partner.offered_, payer, *payer.offered_);
    } else {
        exchange(payer, *payer.sends_, partner, *partner.offered_);
    }
}

void Kernel::enqueue(Waiting& waiting, Process& process) {
    const auto place = std::find_if(waiting.begin(), waiting.end(),
                                    [&](const Process* p) { return p->kernel_priority_ < process.kernel_priority_; });
    waiting.insert(place, &process);
}

NodePort::Step Kernel::pay_match(Cycles own_half, const Process& receiver, const Message& from) {
    const std::uint32_t bytes = copied(from, *receiver.offered_);
    SimTime time = costs_.rendezvous;
    Cycles cycles = own_half;
    if (bytes > 0) {
        const SimTime copy = SimTime::ps(static_cast<std::int64_t>(bytes / costs_.copy_bytes_per_us * 1e6));
        time += copy;
        cycles = cycles + port_.cycles(copy);
    }
    rendezvous_time_[account_of(from)] += time;
    port_.charge_for(payer_of(from, node_), cycles);
    return port_.settle();
}

void Kernel::exchange(Process& sender, Message& from, Process& receiver, Message& to) {
    const std::uint32_t bytes = copied(from, to);
    if (to.any_body != nullptr) {
        to.any_body->resize(bytes);
        to.body = *to.any_body;
    }
    if (bytes > 0) std::memcpy(to.body.data(), from.body.data(), bytes);
    to.length = bytes;
    if (receiver.forwarding_) {
        to.datalink_event = from.datalink_event;
        to.node = from.node;
        to.event = from.event;
        to.type = from.type;
    } else {
        from.length = bytes;
        to.type = sender.last_type_;
    }
    to.flags = receiver.forwarding_ ? from.flags : from.flags & ~flags::from_afar;  // it has arrived
    to.data = from.data;
    to.tag = from.tag;
}

NodePort::Step Kernel::block(Process& caller, ProcessState state) {
    caller.state_ = state;
    caller.matched_ = false;
    caller.woken_ = Process::Woken::Met;
    return port_.wait_until(caller.matched_);
}

// A forwarding process works for the account that pays for the message.
void Kernel::take_over_account(Process& caller, const Message& message) {
    const Account account = payer_of(message, node_);
    if (!caller.forwarding_ || caller.on_behalf_of_ == account) return;
    caller.on_behalf_of_ = account;
    port_.on_behalf_of(account);
}

bool Kernel::is_offered(EventNo event, std::int32_t type) const {
    const Mailbox* mailbox = mailboxes_.find(event);
    return mailbox != nullptr && std::any_of(mailbox->senders.begin(), mailbox->senders.end(), [type](const Process* p) {
               return types_meet(p->last_type_, type) && !p->meets_circuits_;
           });
}

Process* Kernel::find(vocabulary::ProcessId pid) {
    for (const auto* clients : {&processes_, &threads_}) {
        const auto found = std::find_if(clients->begin(), clients->end(), [pid](const auto& p) { return p->pid() == pid; });
        if (found != clients->end()) return found->get();
    }
    return nullptr;
}

bool Kernel::still_asks(const BufferAsker& asker) {
    const Process* process = find(asker.pid);
    return process != nullptr && process->state_ != ProcessState::Ended && process->asks_buffers_ &&
           process->buffer_requests_ == asker.request;
}

bool Kernel::expects(const BufferAsker& asker) {
    if (asker.request != 0) return still_asks(asker);
    const Process* process = find(asker.pid);
    return process != nullptr && process->state_ != ProcessState::Ended;
}

Task<Outcome> Kernel::send(Process& caller, EventNo event, std::int32_t type, Message& message, bool wait) {
    if (caller.state_ == ProcessState::Ended) return refuse_call();
    return send_while(caller, event, type, message, wait, nullptr);
}

Task<Outcome> Kernel::send_to_asker(Process& caller, EventNo event, std::int32_t type, Message& message,
                                    const BufferAsker& asker) {
    if (caller.state_ == ProcessState::Ended) return refuse_call();
    return send_while(caller, event, type, message, true, &asker);
}

// The sender's message is taken. True: it receives from now on, as the second half of its act. False: it has no second half, or
// a message for that is offered already, so it can receive as always.
bool Kernel::await_reply(Process& sender) {
    if (sender.reply_room_ == nullptr) return false;
    Message& room = *std::exchange(sender.reply_room_, nullptr);
    if (is_offered(room.event, room.type) || sender.signals_.any()) return false;
    sender.use(room.event, room.type);
    sender.forwarding_ = false;
    sender.offered_ = &room;
    sender.matched_ = false;
    sender.woken_ = Process::Woken::Met;
    sender.state_ = ProcessState::BlockedReceiving;
    sender.awaits_reply_ = true;
    enqueue(mailboxes_[room.event].receivers, sender);
    return true;
}

// Wakes a blocked process whose rendez-vous is over.
NodePort::Wake Kernel::release(Process& partner) {
    if (partner.state_ == ProcessState::BlockedSending && await_reply(partner)) return port_.wake(nullptr);
    partner.matched_ = true;
    return port_.wake(partner.thread_);
}

// A destructor of a doomed process may still call: NodePort::kill().
Task<Outcome> Kernel::refuse_call() {
    co_await port_.wait();
    co_return Outcome::WouldBlock;
}

Task<Outcome> Kernel::send_receive(Process& caller, Message& out, Message& in, bool wait) {
    caller.reply_room_ = &in;
    caller.awaits_reply_ = false;
    const Outcome sent = co_await send(caller, out.event, out.type, out, wait);
    caller.reply_room_ = nullptr;
    if (sent != Outcome::Done) co_return sent;
    if (!caller.awaits_reply_) co_return co_await receive(caller, in.event, in.type, in, true, false);
    co_await port_.wait_until(caller.matched_);
    caller.state_ = ProcessState::Ready;
    caller.awaits_reply_ = false;
    if (caller.woken_ != Process::Woken::Met) [[unlikely]]
        co_return co_await receive(caller, in.event, in.type, in, true, false);
    port_.charge_for(payer_of(in, node_), half_);
    co_return Outcome::Done;
}

Task<Outcome> Kernel::send_while(Process& caller, EventNo event, std::int32_t type, Message& message, bool wait,
                                 const BufferAsker* asker) {
    Process* partner = nullptr;
    Cycles own_half = half_;
    const bool asks_buffers = message.event == events::bufferd && message.node == node_;
    if (!asks_buffers) caller.last_sent_ = {message.node, message.event};
    while (true) {
        if (caller.signals_.any()) [[unlikely]] {
            const bool again = co_await interrupted(caller);
            if (!again) co_return Outcome::Interrupted;
            continue;
        }
        caller.use(event, type);
        partner = take_match(caller, mailboxes_[event].receivers);
        if (partner != nullptr) break;
        port_.charge_for(payer_of(message, node_), half_);
        co_await port_.settle();
        partner = take_match(caller, mailboxes_[event].receivers);
        if (partner != nullptr) {
            own_half = Cycles(0);
            break;
        }
        if (!wait || (asker != nullptr && !expects(*asker))) co_return Outcome::WouldBlock;
        if (caller.signals_.any()) [[unlikely]]
            continue;
        caller.offered_ = &message;
        if (asker != nullptr) caller.offers_to_ = asker;
        enqueue(mailboxes_[event].senders, caller);
        co_await block(caller, ProcessState::BlockedSending);
        caller.state_ = ProcessState::Ready;
        if (asker != nullptr) caller.offers_to_ = nullptr;
        if (caller.woken_ == Process::Woken::Met) [[likely]]
            co_return Outcome::Done;
        if (caller.awaits_reply_) co_return Outcome::Done;  // the signal came after the message had gone
        if (caller.woken_ == Process::Woken::Refused) co_return Outcome::WouldBlock;
    }
    caller.partner_ = partner;
    caller.sends_ = &message;
    co_await pay_match(own_half, *partner, message);
    const bool partner_lives = caller.partner_ != nullptr;  // see doom()
    if (partner_lives) finish_rendezvous(caller);
    await_reply(caller);
    if (partner_lives) co_await release(*partner);
    co_return Outcome::Done;
}

Task<Outcome> Kernel::receive(Process& caller, EventNo event, std::int32_t type, Message& message, bool wait, bool forwarding) {
    if (caller.state_ == ProcessState::Ended) return refuse_call();
    return receive_while(caller, event, type, message, wait, forwarding);
}

Task<Outcome> Kernel::receive_while(Process& caller, EventNo event, std::int32_t type, Message& message, bool wait,
                                    bool forwarding) {
    Process* partner = nullptr;
    while (true) {
        if (caller.signals_.any()) [[unlikely]] {
            const bool again = co_await interrupted(caller);
            if (!again) co_return Outcome::Interrupted;
            continue;
        }
        caller.use(event, type);
        caller.forwarding_ = forwarding;
        caller.offered_ = &message;
        partner = take_match(caller, mailboxes_[event].senders);
        if (partner != nullptr) break;
        if (!wait) {
            port_.charge(half_);
            co_return Outcome::WouldBlock;
        }
        enqueue(mailboxes_[event].receivers, caller);
        co_await block(caller, ProcessState::BlockedReceiving);
        caller.state_ = ProcessState::Ready;
        if (caller.woken_ != Process::Woken::Met) [[unlikely]]
            continue;
        take_over_account(caller, message);
        port_.charge_for(payer_of(message, node_), half_);  // reads the answer and goes on
        co_return Outcome::Done;
    }
    caller.partner_ = partner;
    co_await pay_match(half_, caller, *partner->offered_);
    const bool partner_lives = caller.partner_ != nullptr;  // see doom()
    if (partner_lives) finish_rendezvous(caller);
    take_over_account(caller, message);
    if (partner_lives) co_await release(*partner);
    co_return Outcome::Done;
}

}  // namespace trollius_os
