#include <hw_model/core_driver.hpp>

#include <algorithm>
#include <utility>

#include <hw_model/node.hpp>
#include <t800_core/registers.hpp>

namespace hw_model {
namespace {

using t800_core::Cycle;
using t800_core::Stop;
using vocabulary::LinkNo;

// Without a link that can have news, a stretch is no longer than a timeslice: so pins and faults are not seen late.
constexpr Cycle longest_stretch = 20'480;
// However near the next event of another node is, the core does at least this.
constexpr Cycle shortest_stretch = 1;
constexpr Cycle last_stretch = 16;  // with links at work

Memory memory_at(std::uint32_t address) {
    return address - t800_core::min_int < t800_core::on_chip_bytes ? Memory::OnChip : Memory::External;
}

}  // namespace

class CoreDriver::Side final : public StreamUser {
public:
    Side(CoreDriver& driver, LinkNo link, LinkStream& stream) : driver_(driver), link_(link), stream_(stream) {
        stream_.serve(*this);
    }
    LinkStream& stream() { return stream_; }

private:
    State& state() { return driver_.sides_[link_.value()]; }
    void take_output(std::span<std::byte> into) override {
        if (state().stale_output)
            std::fill(into.begin(), into.end(), std::byte{0});
        else
            driver_.core_->take_output(link_, into);
    }
    void give_input(std::span<const std::byte> bytes) override {
        state().taken += bytes.size();
        if (state().stale_input) return;
        if (driver_.witness_ != nullptr) driver_.witness_->bytes_came(link_, stream_.name_that_comes(), bytes.size());
        driver_.core_->give_input(link_, bytes);
    }
    void output_done() override {
        if (!state().stale_output) driver_.hear(News::OutputDone, link_);
    }
    void input_done() override {
        if (!state().stale_input) driver_.hear(News::InputDone, link_);
    }
    void byte_waits() override { driver_.hear(News::ByteWaits, link_); }

    CoreDriver& driver_;
    LinkNo link_;
    LinkStream& stream_;
};

CoreDriver::CoreDriver(Node& node, const t800_core::CoreSettings& settings, Timeline& timeline)
    : Activity(Priority::High), node_(node), timeline_(timeline) {
    for (std::size_t i = 0; i < links; ++i) {
        const LinkNo link(static_cast<LinkNo::value_type>(i));
        LinkEnd* const end = node.link(link);
        if (end != nullptr) streams_[i] = std::make_unique<Side>(*this, link, *end->stream());
    }
    t800_core::LinkPort& port = *this;
    core_ = std::make_unique<t800_core::Core>(node.arena.memory(), settings, port);
    node.event.set_taker(this);
}

CoreDriver::~CoreDriver() = default;

void CoreDriver::reset() {
    requests_.clear();
    told_.clear();
    sides_ = {};
    held_ = false;
    come_to_now();
    core_->reset();
    low_ = {};
    stop_.reason = Stop::Reason::Idle;
    begin_anew(Priority::High);
    node_.processor.start(*this);
}

void CoreDriver::analyse() {
    core_->analyse();
    if (!core_->registers().running) node_.processor.halt();
}

// How many whole cycles have passed. The core is never a whole cycle behind the Timeline.
Cycle CoreDriver::cycle_at(SimTime moment) const {
    return static_cast<Cycle>(moment / node_.processor.cycle());
}

SimTime CoreDriver::time_of(Cycle cycle) const {
    return node_.processor.cycle() * static_cast<std::int64_t>(cycle);
}

// Cycles that passed while nothing ran, or that the links took while it ran.
void CoreDriver::come_to_now() {
    const Cycle here = cycle_at(timeline_.now());
    if (core_->now() >= here) return;
    if (core_->registers().running)
        core_->steal(static_cast<std::uint32_t>(here - core_->now()));
    else
        stop_ = core_->run_until(here);
}

void CoreDriver::hear(News news, LinkNo link) {
    State& side = sides_[link.value()];
    if (news == News::OutputDone) side.outputs = false;
    if (news == News::InputDone) side.inputs = false;
    told_.push_back({news, link});
    node_.processor.make_ready(*this);
}

void CoreDriver::tell_core() {
    for (std::size_t i = 0; i < told_.size(); ++i) {
        const Told told = told_[i];
        switch (told.news) {
            case News::OutputDone:
                core_->output_done(told.link);
                break;
            case News::InputDone:
                core_->input_done(told.link);
                break;
            case News::ByteWaits:
                core_->input_ready(told.link);
                break;
            case News::Event:
                core_->event_raised();
                break;
        }
    }
    told_.clear();
}

// Those that the core made up to now.
void CoreDriver::set_engines_to_work() {
    const Cycle here = cycle_at(timeline_.now());
    while (!requests_.empty() && requests_.front().at <= here) {
        const Request request = requests_.front();
        requests_.erase(requests_.begin());
        perform(request);
    }
}

void CoreDriver::perform(const Request& request) {
    const std::size_t link = request.link.value();
    State& state = sides_[link];
    const bool output = request.ask == Ask::Output || request.ask == Ask::ResetOutput;
    const bool starts = request.ask == Ask::Output || request.ask == Ask::Input;
    if (streams_[link] != nullptr) {
        LinkStream& stream = streams_[link]->stream();
        if (output && (stream.outputs() || !starts)) stream.reset_output();
        if (!output && (stream.inputs() || !starts)) stream.reset_input();
    }
    (output ? state.stale_output : state.stale_input) = false;
    if (!starts) return;
    const std::uint32_t count = request.transfer.count;
    if (count == 0) return hear(output ? News::OutputDone : News::InputDone, request.link);
    if (streams_[link] == nullptr) return;  // nobody ever takes or sends a byte there
    LinkStream& stream = streams_[link]->stream();
    const Memory memory = memory_at(request.transfer.address);
    if (output && witness_ != nullptr) stream.name_next_output(witness_->name_of_output(request.link));
    output ? stream.output(count, memory) : stream.input(count, memory);
}

// As far as no link can have news, and nobody outside can act on this node. An event of another node lies at the Timeline's
// next moment at the earliest.
Cycle CoreDriver::limit() {
    const Cycle here = core_->now();
    if (keeps_to_pins_) return here + shortest_stretch;
    const Cycle most = here + longest_stretch;
    const SimTime now = timeline_.now(), others = std::max(now, std::min(timeline_.next_time(), time_of(most)));
    SimTime news = SimTime::never();
    for (const auto& side : streams_) {
        if (side != nullptr) news = std::min(news, side->stream().earliest_news(others));
    }
    const std::uint32_t waits_for_event = core_->word(t800_core::reserved::event);
    if (waits_for_event != t800_core::not_process && waits_for_event != 0) news = std::min(news, others);
    Outside& outside = timeline_.outside();
    const SimTime acts = outside.comes_with_any_event() ? std::min(others, outside.next(now)) : outside.next(now);
    Cycle to = news >= time_of(most) ? most : cycle_at(news);
    // The first cycle that begins at that moment, or after it.
    if (acts < time_of(to)) to = cycle_at(acts + node_.processor.cycle() - SimTime::ps(1));
    return here + length_of_stretch(to - std::min(to, here));
}

// Links that are at work steal cycles, up to an eighth, which are known at the end of a stretch. So the core comes up to its
// limit by seven eighths at a time. It is late by the cycles of a last short stretch at most.
Cycle CoreDriver::length_of_stretch(Cycle most) const {
    const bool at_work = std::any_of(streams_.begin(), streams_.end(), [](const auto& side) {
        return side != nullptr && (side->stream().outputs() || side->stream().inputs());
    });
    return std::max(at_work && most > last_stretch ? std::max(last_stretch, most - most / 8) : most, shortest_stretch);
}

// The core is ahead: its cycles are used, up to the next request of a link. False: the Timeline must come to their end first.
std::optional<Demand> CoreDriver::use_up_to_core() {
    const Cycle here = cycle_at(timeline_.now());
    const Cycle to = requests_.empty() ? core_->now() : std::clamp(requests_.front().at, here, core_->now());
    if (to <= here) return std::nullopt;
    const auto cycles = vocabulary::Cycles(static_cast<std::int64_t>(to - here));
    if (priority_ != 0) low_ = node_.processor.cycle() * cycles.count();
    if (node_.processor.use_at_once(*this, cycles)) return std::nullopt;
    return Demand{Demand::Kind::Use, false, LongInstruction::No, cycles};
}

bool CoreDriver::stopped() const {
    return stop_.reason == Stop::Reason::Halted || stop_.reason == Stop::Reason::Analysed ||
           stop_.reason == Stop::Reason::RanAway;
}

// News of one moment meet the same instruction, however far the core ran ahead. So the core acts behind all events of its node
// at that moment. False: there are some, and it is woken again.
bool CoreDriver::goes_last() {
    const std::uint32_t order = node_.id().value();
    if (!timeline_.more_now(order)) return true;
    if (!std::exchange(is_behind_, true)) timeline_.post(timeline_.now(), order, *this, 0);
    return false;
}

void CoreDriver::fire(std::uint32_t /*what*/) {
    is_behind_ = false;
    node_.processor.make_ready(*this);
}

Demand CoreDriver::resume() {
    for (;;) {
        if (!goes_last()) return {Demand::Kind::Wait, false, LongInstruction::No, {}};
        node_.processor.book_as_low(std::exchange(low_, {}));
        come_to_now();
        set_engines_to_work();
        if (core_->now() > cycle_at(timeline_.now())) {
            if (const auto demand = use_up_to_core()) return *demand;
            continue;
        }
        if (stopped()) return rest_now();
        if (stops_at_breakpoint()) return {Demand::Kind::Wait, false, LongInstruction::No, {}};
        if (stop_.reason == Stop::Reason::Breakpoint) stop_.reason = Stop::Reason::Limit;
        tell_core();
        if (!core_->registers().running) {
            while ((stop_ = core_->run_until(core_->now())).reason == Stop::Reason::Port) {  // timers that are due
            }
            if (!core_->registers().running && requests_.empty()) return rest_now();
            continue;
        }
        priority_ = core_->registers().priority;
        stop_ = core_->run_until(limit());
    }
}

// The breakpoint may be gone, since the core ran ahead to it.
bool CoreDriver::stops_at_breakpoint() {
    if (!held_ && stop_.reason == Stop::Reason::Breakpoint && break_listener_ != nullptr && core_->at_breakpoint()) {
        held_ = true;
        break_listener_->stopped_at_breakpoint(node_.id());
    }
    return held_;
}

void CoreDriver::go_on() {
    if (!std::exchange(held_, false)) return;
    stop_.reason = Stop::Reason::Limit;
    if (!std::exchange(is_behind_, true)) timeline_.post(timeline_.now(), node_.id().value(), *this, 0);
}

// Nothing to do before a link has news or a timer fires.
Demand CoreDriver::rest_now() {
    switch (stop_.reason) {
        case Stop::Reason::Halted:
        case Stop::Reason::RanAway:
            node_.set_halt_on_error(true);
            node_.set_error();
            return {Demand::Kind::Wait, false, LongInstruction::No, {}};
        case Stop::Reason::Analysed:
            node_.processor.halt();
            return {Demand::Kind::Wait, false, LongInstruction::No, {}};
        default:
            break;
    }
    node_.processor.cancel_timer(*this);
    if (const auto next = core_->next_timer()) node_.processor.wake_at(std::max(timeline_.now(), time_of(*next)), *this);
    return {Demand::Kind::Wait, false, LongInstruction::No, {}};
}

CoreDriver::Rest CoreDriver::rest() const {
    if (core_->booting()) return Rest::Boot;
    switch (stop_.reason) {
        case Stop::Reason::Halted:
            return Rest::Halted;
        case Stop::Reason::Analysed:
            return Rest::Analysed;
        case Stop::Reason::RanAway:
            return Rest::RanAway;
        default:
            return core_->registers().running ? Rest::None : Rest::Idle;
    }
}

// The core has given up what it asked for before.
void CoreDriver::forget_requests(LinkNo link, bool output) {
    std::erase_if(requests_, [&](const Request& request) {
        return request.link == link && request.ask == (output ? Ask::Output : Ask::Input);
    });
}

void CoreDriver::start_output(LinkNo link, const t800_core::Transfer& transfer) {
    State& side = sides_[link.value()];
    side.stale_output = side.stale_output || side.outputs;
    side.outputs = true;
    forget_requests(link, true);
    requests_.push_back({Ask::Output, link, transfer, core_->now()});
}

void CoreDriver::start_input(LinkNo link, const t800_core::Transfer& transfer) {
    State& side = sides_[link.value()];
    side.stale_input = side.stale_input || side.inputs;
    side.inputs = true;
    forget_requests(link, false);
    requests_.push_back({Ask::Input, link, transfer, core_->now()});
}

// The Timeline has come to the core's now().
bool CoreDriver::enable_input(LinkNo link) {
    const auto& side = streams_[link.value()];
    if (side == nullptr) return false;
    if (side->stream().byte_waits()) return true;
    side->stream().ask(true);
    return false;
}

bool CoreDriver::disable_input(LinkNo link) {
    const auto& side = streams_[link.value()];
    if (side == nullptr) return false;
    side->stream().ask(false);
    std::erase_if(told_, [link](const Told& told) { return told.news == News::ByteWaits && told.link == link; });
    return side->stream().byte_waits();
}

void CoreDriver::reset_half(LinkNo link, t800_core::Direction half) {
    const bool output = half == t800_core::Direction::Output;
    State& side = sides_[link.value()];
    (output ? side.outputs : side.inputs) = false;
    (output ? side.stale_output : side.stale_input) = true;
    forget_requests(link, output);
    requests_.push_back({output ? Ask::ResetOutput : Ask::ResetInput, link, {}, core_->now()});
    const News done = output ? News::OutputDone : News::InputDone;
    std::erase_if(told_, [&](const Told& told) { return told.link == link && told.news == done; });
}

void CoreDriver::acknowledge_event() {
    node_.event.take_by_code();
}

void CoreDriver::event_raised() {
    hear(News::Event, LinkNo(0));
}

}  // namespace hw_model
