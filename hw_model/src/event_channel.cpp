#include <hw_model/event_channel.hpp>

#include <utility>

#include <vocabulary/contract.hpp>

namespace hw_model {

void EventChannel::drive(Source source, bool level) {
    const bool before = request();
    levels_[static_cast<std::size_t>(source)] = level;
    if (request() == before || processor_.crashed()) return;
    if (!request()) {
        acknowledge_ = false;
        return;
    }
    ready_ = true;
    if (taker_ != nullptr) taker_->event_raised();
    if (receiver_ != nullptr) take();
}

void EventChannel::receive(Activity& process) {
    EXPECTS(receiver_ == nullptr, "event_channel.receive.twice");
    receiver_ = &process;
    if (ready_) take();
}

void EventChannel::withdraw(const Activity& process) {
    if (receiver_ == &process) receiver_ = nullptr;
}

void EventChannel::take() {
    ready_ = false;
    acknowledge_ = request();
    processor_.make_ready_by_event(*std::exchange(receiver_, nullptr));
}

void EventChannel::take_by_code() {
    ready_ = false;
    acknowledge_ = request();
}

void EventChannel::reset() {
    receiver_ = nullptr;
    ready_ = acknowledge_ = false;
}

}  // namespace hw_model
