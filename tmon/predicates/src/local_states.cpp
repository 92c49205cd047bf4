#include "local_states.hpp"

#include <algorithm>

namespace tmon_predicates {

State LocalStates::all() const {
    State least = State::True;
    for (const One& one : locals_) least = std::min(least, one.state);
    return least;
}

State LocalStates::record(const Step& step) {
    for (One& one : locals_) {
        const State before = one.state;
        const bool is_it = one.local.event.matches(step.event);
        switch (one.local.what) {
            case Local::What::Newest:
                one.state = is_it ? State::True : State::False;
                break;
            case Local::What::Count:
                one.count += is_it ? 1 : 0;
                if (one.count >= one.local.least) one.state = State::True;
                break;
            case Local::What::Between:
                if (one.local.until.matches(step.event)) one.state = State::False;
                if (is_it) one.state = State::True;
                break;
        }
        if (is_it && (before != State::True || one.local.what != Local::What::Count)) one.made_by = step.id();
    }
    return all();
}

State LocalStates::lost(const trace_record::LossRange& loss) {
    for (One& one : locals_) {
        if (one.local.what == Local::What::Newest) one.state = State::False;
        if (one.local.what == Local::What::Between && one.state == State::True && one.local.until.may_be_in(loss))
            one.state = State::Unsure;
    }
    return all();
}

std::vector<tmon_order::RecordId> LocalStates::made_by() const {
    std::vector<tmon_order::RecordId> records;
    for (const One& one : locals_) records.push_back(one.made_by);
    return records;
}

bool LocalStates::is_stable() const {
    return std::all_of(locals_.begin(), locals_.end(), [](const One& one) { return one.local.what == Local::What::Count; });
}

bool LocalStates::may_be_in(const trace_record::LossRange& loss) const {
    return std::any_of(locals_.begin(), locals_.end(), [&](const One& one) { return one.local.event.may_be_in(loss); });
}

std::map<std::uint16_t, LocalStates> LocalStates::of(const std::vector<Local>& locals) {
    std::map<std::uint16_t, LocalStates> nodes;
    for (const Local& local : locals) nodes[*local.event.node].add(local);
    return nodes;
}

}  // namespace tmon_predicates
