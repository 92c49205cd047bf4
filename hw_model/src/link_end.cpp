#include <hw_model/link_end.hpp>

#include <utility>

#include "byte_engine.hpp"
#include "message_engine.hpp"
#include "stream_byte_engine.hpp"
#include "stream_message_engine.hpp"

namespace hw_model {
namespace {

std::unique_ptr<LinkEngine> message_engine(LinkLevel level, const LinkEngine::Place& place) {
    if (level == LinkLevel::Byte) return std::make_unique<ByteEngine>(place);
    return std::make_unique<MessageEngine>(place);
}

std::unique_ptr<StreamEngine> stream_engine(LinkLevel level, const LinkEngine::Place& place) {
    if (level == LinkLevel::Byte) return std::make_unique<StreamByteEngine>(place);
    return std::make_unique<StreamMessageEngine>(place);
}

}  // namespace

LinkEnd::LinkEnd(sc_core::sc_module_name name, std::uint32_t order, const LinkTiming& timing, SimTime least_byte,
                 Timeline& timeline, Processor& processor, LinkUse use)
    : sc_module(name), out("out"), in("in") {
    const LinkEngine::Place place{order, timing, least_byte, timeline, processor};
    if (use == LinkUse::Bytes) {
        std::unique_ptr<StreamEngine> engine = stream_engine(timing.level, place);
        stream_ = engine.get();
        engine_ = std::move(engine);
    } else {
        engine_ = message_engine(timing.level, place);
    }
    out.bind(static_cast<LinkBackward&>(*engine_));
    in.bind(static_cast<LinkForward&>(*engine_));
}

LinkEnd::~LinkEnd() = default;

void LinkEnd::end_of_elaboration() {
    engine_->wire(out.size() > 0 ? out.operator->() : nullptr, in.get_base_port().size() > 0 ? in.operator->() : nullptr);
}

void LinkEnd::send(LinkMessage& message) {
    engine_->send(message);
}
void LinkEnd::receive(LinkReceive& request, Channel channel) {
    engine_->receive(request, channel);
}
void LinkEnd::withdraw(LinkReceive& request, Channel channel) {
    engine_->withdraw(request, channel);
}
void LinkEnd::withdraw(LinkMessage& message) {
    engine_->withdraw(message);
}
LinkStream* LinkEnd::stream() {
    return stream_;
}
bool LinkEnd::wired() const {
    return engine_->wired();
}
bool LinkEnd::sending() const {
    return engine_->sending();
}
bool LinkEnd::receiving() const {
    return engine_->receiving();
}
bool LinkEnd::moving_out() const {
    return engine_->moving_out();
}
bool LinkEnd::moving() const {
    return engine_->moving();
}
void LinkEnd::cut() {
    engine_->cut();
}
void LinkEnd::reset() {
    engine_->reset();
}
void LinkEnd::restart() {
    engine_->restart();
}
LinkTotals LinkEnd::totals() const {
    return engine_->totals();
}
SimTime LinkEnd::sending_time() const {
    return engine_->sending_time();
}
std::optional<vocabulary::Account> LinkEnd::on_wire() const {
    return engine_->on_wire();
}
void LinkEnd::attach(Chronicle* chronicle, Chronicle::End end) {
    engine_->attach(chronicle, end);
}

}  // namespace hw_model
