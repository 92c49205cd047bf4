#include <tmon_models/farm_rules.hpp>

#include <algorithm>

#include <vocabulary/source_position.hpp>

namespace tmon_models {

namespace {

using What = Step::What;

class Shape {
public:
    explicit Shape(const FaultModel& model) : model_(model) {}

    FarmRules rules() {
        FarmRules rules;
        for (const Message& message : model_.messages) {
            rules.goes_down = rules.goes_down || message.way != Way::Up;
            rules.goes_up = rules.goes_up || message.way != Way::Down;
        }
        if (model_.is_fixed()) return rules;
        rules.up_answers_down = rules.to_one_child = true;
        for (const Message& message : model_.messages) (message.way == Way::Down ? rules.down : rules.up) = message.label;
        rules.source = steps(At::Root)[0].by;
        check_call(steps(At::Root), 0);
        read_inner(rules);
        const std::vector<Step>& leaf = steps(At::Leaf);
        if (leaf.size() < 2 || !receives_from_above(leaf[0])) refuse();
        rules.leaf = leaf[1].by;
        return rules;
    }

private:
    [[noreturn]] void refuse() const {
        throw vocabulary::RequestError("fault model '" + model_.name +
                                       "' has choice and is no farm: a root that sends each unit to one child and gets one "
                                       "answer, workers that answer or pass on; leave out the choice, or follow pfvm or dcvm");
    }

    const std::vector<Step>& steps(At at) const {
        const auto found = std::find_if(model_.places.begin(), model_.places.end(), [&](const Place& place) {
            const bool fits = place.at == at || place.at == At::EveryNode || (place.at == At::Worker && at != At::Root);
            return fits && place.units == For::Each;
        });
        if (found == model_.places.end() || found->steps.empty()) refuse();
        return found->steps;
    }

    bool goes(const Step& step, What what, Way way, Peer peer) const {
        return step.what == what && model_.messages[step.message].way == way && step.peer == peer;
    }
    bool receives_from_above(const Step& step) const { return goes(step, What::Receive, Way::Down, Peer::Parent); }
    bool answers(const Step& step) const { return goes(step, What::Send, Way::Up, Peer::Parent); }

    // A send to one child, and its answer.
    void check_call(const std::vector<Step>& steps, std::size_t from) const {
        const bool is_call = steps.size() >= from + 2 && goes(steps[from], What::Send, Way::Down, Peer::OneChild) &&
                             goes(steps[from + 1], What::Receive, Way::Up, Peer::ThatChild) &&
                             steps[from].each_part == steps[from + 1].each_part;
        if (!is_call) refuse();
    }

    void read_inner(FarmRules& rules) const {
        const std::vector<Step>& inner = steps(At::Inner);
        if (inner.size() != 2 || !receives_from_above(inner[0]) || inner[1].what != What::Either || inner[1].either.size() != 2)
            refuse();
        const auto& first = inner[1].either[0];
        const auto& second = inner[1].either[1];
        if (first.size() != 1 || !answers(first[0]) || second.size() != 3 || !answers(second[2])) refuse();
        check_call(second, 0);
        rules.inner = inner[1].by;
        rules.divides = second[0].each_part;
        rules.unsent_part = second[0].by.empty() ? inner[1].by : second[0].by;
        rules.join = second[2].by;
    }

    const FaultModel& model_;
};

}  // namespace

FarmRules farm_rules(const FaultModel& model) {
    return Shape(model).rules();
}

}  // namespace tmon_models
