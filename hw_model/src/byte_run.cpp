#include "byte_run.hpp"

#include <algorithm>

#include "byte_layout.hpp"

namespace hw_model {
namespace {

// Timeline::withdraw() wants less than half a millisecond, for a wake that may be put off to the next step. Between two steps
// there must be less than the slots that Timeline::used_slots_ahead spares.
constexpr SimTime longest_wait = SimTime::us(400), longest_pause = SimTime::us(16), longest_period = SimTime::us(10);

// How many of the positions from `first` to before `end` are `rest` modulo the bytes of a word.
std::uint32_t of_words(std::uint32_t first, std::uint32_t end, std::uint32_t rest) {
    const auto below = [rest](std::uint32_t position) { return (position + word_bytes - 1 - rest) / word_bytes; };
    return below(end) - below(first);
}

}  // namespace

bool ByteRun::moves(const ByteEngine& from, const ByteEngine& to) {
    return from.position_ > 1 && to.begun_ && to.message_ == from.out_front_ && !to.message_->aborted;
}

bool ByteRun::rests(const ByteEngine& from, const ByteEngine& to) {
    return from.data_.at == SimTime::never() && to.acknowledge_.at == SimTime::never();
}

// The way of one direction allows a run: `from` either sends nothing, or is far from both ends of a message.
bool ByteRun::suits(const ByteEngine& from, const ByteEngine& to) {
    if (from.cut_) return false;
    if (!moves(from, to)) return rests(from, to);
    const LinkMessage& message = *from.out_front_;
    if (message.pause > longest_pause && from.position_ <= second_message_at(message)) return false;
    if (period(from, to) > longest_period || !can_order(from, to)) return false;
    return !message.watched && !message.unconnected && from.position_ + least_bytes < message.wire_bytes;
}

// The shortest time from one data packet to the next.
SimTime ByteRun::period(const ByteEngine& from, const ByteEngine& to) {
    return std::max(from.timing_.data_packet, answer(to) + to.delay_ + from.timing_.turn_round_data);
}

// From a data packet to its acknowledge.
SimTime ByteRun::answer(const ByteEngine& to) {
    const SimTime least = to.least_byte_ - to.timing_.turn_round_data - to.delay_ - to.delay_;
    return to.delay_ + std::max(to.timing_.turn_round_acknowledge, least);
}

// The order of steps at the same moment can be told. An acknowledge takes time, so none falls on the moment of its packet. The
// step that armed a packet is among the last ones. In the time of a packet the other direction has at most two steps.
bool ByteRun::can_order(const ByteEngine& from, const ByteEngine& to) {
    const LinkTiming& timing = from.timing_;
    if (timing.turn_round_acknowledge == SimTime() || timing.data_packet == SimTime()) return false;
    const std::int64_t packets = (from.out_front_->pause + period(from, to)) / timing.data_packet + 1;
    return 2 * packets + 4 < kept;
}

bool ByteRun::busy_beside(const ByteEngine& end, const ByteEngine& far) {
    const auto& thieves = end.processor_.thieves();
    return std::any_of(thieves.begin(), thieves.end(), [&](const Processor::Thief* thief) {
        const auto& beside = static_cast<const ByteEngine&>(*thief);
        return &beside != &end && beside.busy() && beside.far_ != nullptr && &beside.far_->processor_ == &far.processor_;
    });
}

void ByteRun::end_beside(const ByteEngine& end, const ByteEngine& far) {
    for (Processor::Thief* thief : end.processor_.thieves()) {
        auto& beside = static_cast<ByteEngine&>(*thief);
        if (&beside != &end && beside.run_ != nullptr && &beside.run_->other(beside).processor_ == &far.processor_)
            beside.run_->end();
    }
}

void ByteRun::begin_if_possible(ByteEngine& sender) {
    if (sender.timeline_.history() == nullptr || sender.far_ == nullptr) return;
    ByteEngine& far = *sender.far_;
    if (!moves(sender, far) || !suits(sender, far) || !suits(far, sender)) return;
    if (&far.processor_ == &sender.processor_ || busy_beside(sender, far)) return;
    std::unique_ptr<ByteRun>& run = sender.runs_;
    if (run == nullptr || run->ends_[1] != &far) run = std::make_unique<ByteRun>(sender, far, sender.timeline_);
    run->begin();
}

void ByteRun::begin() {
    now_ = timeline_.now();
    SimTime longest;
    for (ByteEngine* end : ends_) {
        end->run_ = this;
        end->processor_.thief_lags(true);
        if (!moves(*end, other(*end))) continue;
        longest = std::max(longest, period(*end, other(*end)) + end->out_front_->pause);
    }
    timeline_.history()->remember(longest * 8);
    timeline_.history()->add(*this);
    next_ = first().at;
    wake_at(earliest_end());
}

// No direction has the packet before its last one earlier. Later than now, unless one is near its end.
SimTime ByteRun::earliest_end() const {
    SimTime earliest = timeline_.now() + longest_wait;
    for (const ByteEngine* end : ends_) {
        const ByteEngine& far = other(*end);
        if (!moves(*end, far)) continue;
        const bool armed = end->data_.at != SimTime::never();  // else it is when the acknowledge has come
        const SimTime next = armed ? end->data_.at : far.acknowledge_.at + far.delay_ + end->timing_.turn_round_data;
        const std::int64_t left = std::int64_t{end->out_front_->wire_bytes} - 2 - end->position_;
        earliest = std::min(earliest, next + period(*end, far) * left);
    }
    return earliest;
}

bool ByteRun::near_end() const {
    return std::any_of(ends_.begin(), ends_.end(), [&](const ByteEngine* end) {
        return moves(*end, other(*end)) && end->position_ + 2 >= end->out_front_->wire_bytes;
    });
}

void ByteRun::wake_at(SimTime when) {
    wake_ = when;
    timeline_.post(wake_, ends_[0]->order_, *this, 0);
}

void ByteRun::fire(std::uint32_t) {
    wake_ = SimTime::never();
    timeline_.history()->do_not_count();
    catch_up();
    if (near_end()) return end();
    wake_at(earliest_end());
}

void ByteRun::end() {
    catch_up();
    if (wake_ != SimTime::never()) timeline_.withdraw(wake_, *this);
    wake_ = SimTime::never();
    timeline_.history()->remove(*this, now_);
    for (ByteEngine* end : ends_) {
        for (const What what : {What::SendData, What::SendAcknowledge}) {
            ByteEngine::Armed& armed = what == What::SendData ? end->data_ : end->acknowledge_;
            if (armed.at == SimTime::never() || armed.posted) continue;
            armed.number = number_of({armed.at, end, what, armed});
            armed.posted = true;
            timeline_.post_as(armed.number, armed.at, end->order_, *end, what);
        }
    }
    for (ByteEngine* end : ends_) {
        end->run_ = nullptr;
        end->processor_.thief_lags(false);
    }
}

SimTime ByteRun::rest_at(SimTime limit) {
    catch_up_to({limit, ~std::uint64_t{0}});
    if (wake_ < next_) {  // it is no step, so nobody may see it come
        timeline_.withdraw(wake_, *this);
        wake_at(next_);
    }
    return now_;
}

// The number of the event that this step is in the place of.
std::uint64_t ByteRun::number_of(const Step& step) const {
    if (step.armed.posted) return step.armed.number;
    if (steps_ - step.armed.by >= kept) return 0;
    const Step& by = last_[step.armed.by % kept];
    return timeline_.history()->number(by.at, by.end->order_, [&] { return number_of(by); });
}

ByteRun::Step ByteRun::first() const {
    const ByteEngine::Armed* first = &ends_[0]->data_;
    ByteEngine* its_end = ends_[0];
    const auto look = [&](ByteEngine* end, const ByteEngine::Armed& armed) {
        if (armed.at > first->at || (armed.at == first->at && !before(*end, armed, *its_end, *first))) return;
        first = &armed;
        its_end = end;
    };
    look(ends_[0], ends_[0]->acknowledge_);
    look(ends_[1], ends_[1]->data_);
    look(ends_[1], ends_[1]->acknowledge_);
    return {first->at, its_end, first == &its_end->data_ ? What::SendData : What::SendAcknowledge, *first};
}

// The order of two steps at the same time.
bool ByteRun::before(const ByteEngine& end, const ByteEngine::Armed& armed, const ByteEngine& other_end,
                     const ByteEngine::Armed& other) {
    if (end.order_ != other_end.order_) return end.order_ < other_end.order_;
    return armed.posted != other.posted ? armed.posted : armed.number < other.number;
}

void ByteRun::catch_up_to(const TimelineHistory::Place& place) {
    if (next_ > place.time) return;
    const std::uint32_t node = TimelineHistory::node_of(place.order);
    while (true) {
        const Step step = first();
        next_ = step.at;
        if (step.at > place.time) return;
        if (step.at == place.time) {
            if (step.end->order_ > node) return;
            if (step.end->order_ == node && TimelineHistory::order(node, number_of(step)) > place.order) return;
        }
        if (!skip(step, place.time)) do_step(step);
    }
}

void ByteRun::note(const Step& step) {
    now_ = step.at;
    last_[++steps_ % kept] = step;
}

void ByteRun::do_step(const Step& step) {
    note(step);
    timeline_.count(1);
    if (step.what == What::SendData) {
        step.end->data_.at = SimTime::never();
        step.end->send_data();
    } else {
        step.end->acknowledge_.at = SimTime::never();
        step.end->send_acknowledge();
    }
}

// From a data packet on, as many whole periods as fit before `limit`. False: none.
bool ByteRun::skip(const Step& step, SimTime limit) {
    ByteEngine& from = *step.end;
    ByteEngine& to = other(from);
    if (step.what != What::SendData || !rests(to, from) || to.acknowledge_.at != SimTime::never()) return false;
    const SimTime answers = answer(to), each = period(from, to);
    if (answers >= each) return false;  // the last acknowledge would fall on `limit`, where its rank decides
    if (from.wire_free_ > step.at || to.wire_free_ > step.at + answers || to.timing_.acknowledge_packet > each) return false;
    const std::uint32_t position = from.position_, ends = from.out_front_->wire_bytes,
                        pause = second_message_at(*from.out_front_);
    std::int64_t count = position + 2 < ends ? ends - 2 - position : 0;
    if (position < pause) count = std::min<std::int64_t>(count, pause - 1 - position);
    count = std::min(count, (limit - step.at) / each);
    if (count <= 0) return false;
    do_bytes(from, to, static_cast<std::uint32_t>(count));

    from.data_began_ = step.at + each * (count - 1);
    from.wire_free_ = from.data_began_ + from.timing_.data_packet;
    to.seen_ = from.data_began_ + to.delay_;
    to.wire_free_ = from.data_began_ + answers + to.timing_.acknowledge_packet;
    ByteEngine::Armed by_before = step.armed;
    if (count > 1) {
        note({from.data_began_ + answers - each, &to, What::SendAcknowledge, {.at = {}, .by = steps_ - kept}});
        by_before = {.at = {}, .by = steps_};
    }
    note({from.data_began_, &from, What::SendData, by_before});
    note({from.data_began_ + answers, &to, What::SendAcknowledge, {.at = {}, .by = steps_}});
    timeline_.count(2 * static_cast<std::uint64_t>(count));
    from.arm(from.data_, from.data_began_ + each, What::SendData);
    return true;
}

// So many bytes, from the next one on: all but the times.
void ByteRun::do_bytes(ByteEngine& from, ByteEngine& to, std::uint32_t count) {
    LinkMessage& message = *from.out_front_;
    const std::uint32_t first = from.position_, end = first + count;
    const auto steal = [&](ByteEngine& at, Memory memory, std::uint32_t words) {
        const Cycles word = at.stolen_by_word(memory);
        if (word.count() > 0 && words > 0) at.processor_.steal(word * words, message.account);
    };
    steal(from, message.memory, of_words(first, end, 0));
    steal(to, to.in_memory_, of_words(first, end, word_bytes - 1));
    const Layout layout(message);
    const auto copy = [&](std::span<const std::byte> part, std::uint32_t begin, std::uint32_t beyond, std::size_t place) {
        const std::uint32_t at = std::max(first, begin), until = std::min(end, beyond);
        if (at < until)
            std::copy_n(part.begin() + (at - begin), until - at,
                        to.content_.begin() + static_cast<std::ptrdiff_t>(place + at - begin));
    };
    copy(message.header, 0, layout.header_bytes, 0);
    copy(message.body, layout.body_at, message.wire_bytes, message.header.size());
    from.position_ = end;
    message.position = end - 1;
    message.byte = byte_of(message, end - 1);
    to.held_ = false;
}

}  // namespace hw_model
