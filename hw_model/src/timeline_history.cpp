#include <hw_model/timeline_history.hpp>

namespace hw_model {

// Whoever posts between two calls of run_until() does so after every event and step up to `limit`.
SimTime TimelineHistory::rests_at(SimTime limit, std::uint64_t posted) {
    for (Laggard* laggard : laggards_) counted_ = std::max(counted_, laggard->rest_at(limit));
    begins(counted_, ~std::uint64_t{0}, posted);
    return counted_;
}

SimTime TimelineHistory::next_step() const {
    SimTime next = SimTime::never();
    for (const Laggard* laggard : laggards_) next = std::min(next, laggard->next_step());
    return next;
}

void TimelineHistory::remove(Laggard& laggard, SimTime last_step) {
    std::erase(laggards_, &laggard);
    counted_ = std::max(counted_, last_step);
}

void TimelineHistory::drop_old_marks() {
    const SimTime oldest = place_.time - span_;
    const auto keep = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.place.time >= oldest; });
    marks_.erase(marks_.begin(), keep);
    most_marks_ = std::max(least_marks, 2 * marks_.size());
}

}  // namespace hw_model
