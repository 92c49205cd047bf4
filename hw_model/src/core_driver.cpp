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
    void take_output(std::span<std::byte> into) override { driver_.core_->take_output(link_, into); }
    void give_input(std::span<const std::byte> bytes) override { driver_.core_->give_input(link_, bytes); }
    void output_done() override { driver_.hear(News::OutputDone, link_); }
    void input_done() override { driver_.hear(News::InputDone, link_); }
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
    core_ = std::make_unique<t800_core::Core>(node.arena.memory(), settings, *this);
    node.event.set_taker(this);
}

CoreDriver::~CoreDriver() = default;

void CoreDriver::reset() {
    requests_.clear();
    told_.clear();
    sides_ = {};
    come_to_now();
    in_core_ = true;
    core_->reset();
    in_core_ = false;
    begin_anew(Priority::High);
    node_.processor.start(*this);
}

void CoreDriver::analyse() {
    core_->analyse();
}

// How many whole cycles have passed. The core is never a whole cycle behind the Timeline.
Cycle CoreDriver::cycle_at(SimTime moment) const {
    return static_cast<Cycle>(moment / node_.processor.cycle());
}

SimTime CoreDriver::time_of(Cycle cycle) const {
    return node_.processor.cycle() * static_cast<std::int64_t>(cycle);
}

// Cycles that passed while nothing ran, or that the links took.
void CoreDriver::come_to_now() {
    const Cycle here = cycle_at(timeline_.now());
    if (core_->now() >= here) return;
    const bool runs = core_->registers().running && stop_.reason != Stop::Reason::Idle;
    if (runs)
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

void CoreDriver::set_engines_to_work() {
    // A transfer of no bytes ends at once, and so may start others.
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        const Request request = requests_[i];
        perform(request);
    }
    requests_.clear();
}

void CoreDriver::perform(const Request& request) {
    const std::size_t link = request.link.value();
    if (streams_[link] == nullptr) return;  // nobody ever takes or sends a byte there
    LinkStream& stream = streams_[link]->stream();
    const std::uint32_t count = request.transfer.count;
    switch (request.ask) {
        case Ask::Output:
            if (stream.outputs()) stream.reset_output();
            if (count == 0) return hear(News::OutputDone, request.link);
            return stream.output(count, memory_at(request.transfer.address));
        case Ask::Input:
            if (stream.inputs()) stream.reset_input();
            if (count == 0) return hear(News::InputDone, request.link);
            return stream.input(count, memory_at(request.transfer.address));
        case Ask::ResetOutput:
            return stream.reset_output();
        case Ask::ResetInput:
            return stream.reset_input();
    }
}

// As far as no link can have news. An event of another node lies at the Timeline's next moment at the earliest.
Cycle CoreDriver::limit() {
    const SimTime others = std::max(timeline_.now(), timeline_.next_time());
    SimTime news = SimTime::never();
    for (const auto& side : streams_) {
        if (side != nullptr) news = std::min(news, side->stream().earliest_news(others));
    }
    if (core_->word(t800_core::reserved::event) != t800_core::not_process) news = std::min(news, others);
    const Cycle here = core_->now();
    const Cycle most = here + longest_stretch;
    if (news >= time_of(most)) return most;
    return std::max(here + shortest_stretch, cycle_at(news));
}

// Cycles in which the core did something. Idle ones at the end are not among them.
Cycle CoreDriver::run_ahead() {
    const Cycle from = core_->now(), idle = core_->totals().idle;
    in_core_ = true;
    stop_ = core_->run_until(limit());
    in_core_ = false;
    return core_->now() - from - (core_->totals().idle - idle);
}

Demand CoreDriver::resume() {
    for (;;) {
        come_to_now();
        set_engines_to_work();
        tell_core();
        if (stop_.reason == Stop::Reason::Halted || stop_.reason == Stop::Reason::Analysed ||
            stop_.reason == Stop::Reason::RanAway)
            return rest_now();
        const std::uint8_t priority = core_->registers().priority;
        const auto cycles = vocabulary::Cycles(static_cast<std::int64_t>(run_ahead()));
        if (cycles.count() > 0) {
            if (priority != 0) node_.processor.book_as_low(node_.processor.cycle() * cycles.count());
            if (node_.processor.use_at_once(*this, cycles)) continue;
            return {Demand::Kind::Use, false, LongInstruction::No, cycles};
        }
        if (requests_.empty() && told_.empty()) return rest_now();
    }
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
        case Stop::Reason::Idle:
            return Rest::Idle;
        default:
            return Rest::None;
    }
}

void CoreDriver::start_output(LinkNo link, const t800_core::Transfer& transfer) {
    sides_[link.value()].outputs = true;
    requests_.push_back({Ask::Output, link, transfer});
}

void CoreDriver::start_input(LinkNo link, const t800_core::Transfer& transfer) {
    sides_[link.value()].inputs = true;
    requests_.push_back({Ask::Input, link, transfer});
}

// A byte that comes while the core is ahead is told when the Timeline has come so far.
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
    (output ? sides_[link.value()].outputs : sides_[link.value()].inputs) = false;
    requests_.push_back({output ? Ask::ResetOutput : Ask::ResetInput, link, {}});
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
