// The reader of fault models. It checks each word where it stands, and that steps fit their messages.
#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <tmon_models/farm_rules.hpp>
#include <tmon_models/fault_model.hpp>
#include <topologies/strict_yaml.hpp>

namespace tmon_models {

namespace {

using topologies::YamlValue;

constexpr const char* format_name = "magicwire.fault-model/1";

bool is_name(const std::string& text) {
    return !text.empty() && text.size() <= 40 && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == text.npos;
}

// A line of text that reports can print: a process, a label or a sentence.
std::string words(const YamlValue& value, std::size_t most = 60) {
    std::string text = value.text();
    const auto is_bad = [](char c) { return c < ' ' || c > '~'; };
    if (text.empty()) value.fail("is empty; give it a name that reports can print");
    if (text.size() > most) value.fail("is longer than " + std::to_string(most) + " characters; shorten it");
    if (std::any_of(text.begin(), text.end(), is_bad))
        value.fail("has a character that is not in ASCII; reports print it on one line");
    return text;
}

std::string name(const YamlValue& value) {
    std::string text = value.text();
    if (!is_name(text)) value.fail("'" + text + "' is no name; use 1 to 40 of a-z, 0-9, - and _");
    return text;
}

class Reader {
public:
    explicit Reader(const YamlValue& file) : file_(file) {}

    FaultModel read() {
        file_.only_keys({"format", "name", "unit", "order", "messages", "places", "assumes"});
        if (file_.at("format").text() != format_name)
            file_.at("format").fail("'" + file_.at("format").text() + "' is not known; this version reads " + format_name);
        model_.name = name(file_.at("name"));
        if (const auto unit = file_.find("unit")) model_.unit = name(*unit);
        model_.one_by_one = file_.at("order").one_of({"any", "one by one"}) == "one by one";
        for (const YamlValue& each : list("messages")) model_.messages.push_back(message(each));
        for (const YamlValue& each : list("places")) model_.places.push_back(place(each));
        if (const auto assumes = file_.find("assumes"))
            for (const YamlValue& each : assumes->items()) model_.assumes.push_back(words(each, 200));
        check_order();
        check_use();
        return std::move(model_);
    }

private:
    std::vector<YamlValue> list(const std::string& key) const {
        const YamlValue value = file_.at(key);
        std::vector<YamlValue> items = value.items();
        if (items.empty()) value.fail("is empty; a model has at least one entry in '" + key + "'");
        return items;
    }

    Message message(const YamlValue& value) const {
        value.only_keys({"name", "way", "sends", "label"});
        Message message;
        message.name = name(value.at("name"));
        const auto same = [&](const Message& other) { return other.name == message.name; };
        if (std::any_of(model_.messages.begin(), model_.messages.end(), same))
            value.at("name").fail("'" + message.name + "' is there already; give each message a name of its own");
        const std::string way = value.at("way").one_of({"down", "up", "both"});
        message.way = way == "down" ? Way::Down : way == "up" ? Way::Up : Way::Both;
        const auto taken = [&](const Message& other) {
            return other.way == message.way || other.way == Way::Both || message.way == Way::Both;
        };
        if (std::any_of(model_.messages.begin(), model_.messages.end(), taken))
            value.at("way").fail("another message goes this way; a record shows only whether a message went up or down");
        const auto sends = value.find("sends");
        message.synchronous = !sends || sends->one_of({"synchronous", "buffered"}) == "synchronous";
        message.label = words(value.at("label"));
        return message;
    }

    Place place(const YamlValue& value) const {
        value.only_keys({"at", "for", "steps"});
        Place place;
        const std::vector<std::string> nodes = {"root", "worker", "inner", "leaf", "every node"};
        place.at = static_cast<At>(index(nodes, value.at("at").one_of(nodes)));
        const std::vector<std::string> units = {"first", "last", "each"};
        if (const auto which = value.find("for")) place.units = static_cast<For>(index(units, which->one_of(units)));
        place.steps = steps(value.at("steps"), false);
        check_place(value, place);
        return place;
    }

    // An earlier entry for all these nodes and units leaves nothing to this one.
    void check_place(const YamlValue& value, const Place& place) const {
        const bool hidden = std::any_of(model_.places.begin(), model_.places.end(), [&](const Place& before) {
            const bool all_nodes = before.at == At::EveryNode || before.at == place.at ||
                                   (before.at == At::Worker && (place.at == At::Inner || place.at == At::Leaf));
            return all_nodes && (before.units == For::Each || before.units == place.units);
        });
        if (hidden) value.fail("an earlier place has all these nodes and units; the first that fits counts");
        for (const Step& step : place.steps) {
            const bool up = place.at == At::Root && step.peer == Peer::Parent;
            const bool down = place.at == At::Leaf && step.peer != Peer::Parent && step.peer != Peer::EachNeighbour;
            const bool moves = step.what == Step::What::Send || step.what == Step::What::Receive;
            if (moves && up) value.fail("the root has no parent; remove the step");
            if (moves && down) value.fail("a leaf has no child; remove the step");
        }
    }

    static std::size_t index(const std::vector<std::string>& words, const std::string& word) {
        return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
    }

    std::vector<Step> steps(const YamlValue& value, bool inside) const {
        std::vector<Step> steps;
        for (const YamlValue& each : value.items()) {
            steps.push_back(step(each, inside));
            const bool repeats = std::count_if(steps.begin(), steps.end(), [&](const Step& other) {
                                     return other.what == steps.back().what && other.message == steps.back().message &&
                                            (other.what == Step::What::Send || other.what == Step::What::Receive);
                                 }) > 1;
            if (repeats) each.fail("a place sends, and receives, a message of this name once; remove one");
            if (steps.size() > 1 && steps[steps.size() - 2].what == Step::What::Either)
                each.fail("nothing may follow 'either'; put this step into each alternative");
        }
        if (steps.empty()) value.fail("is empty; a place has at least one step");
        return steps;
    }

    Step step(const YamlValue& value, bool inside) const {
        value.only_keys({"by", "send", "receive", "to", "from", "of", "either"});
        Step step;
        if (const auto by = value.find("by")) step.by = words(*by);
        const auto send = value.find("send"), receive = value.find("receive"), either = value.find("either");
        const int count = (send ? 1 : 0) + (receive ? 1 : 0) + (either ? 1 : 0);
        if (count > 1) value.fail("a step has one of 'send', 'receive' and 'either'; make two steps of it");
        if (count == 0 && step.by.empty()) value.fail("the step does nothing; give it 'by', 'send', 'receive' or 'either'");
        if (!send && !receive)
            for (const char* key : {"to", "from", "of"})
                if (value.find(key)) value.fail(std::string("'") + key + "' belongs to a send or a receive; remove it");
        if (receive && !step.by.empty()) value.fail("a receive has no 'by'; write the process as a step of its own before it");
        if (either) return alternatives(*either, inside, std::move(step));
        if (count == 0) return step;
        step.what = send ? Step::What::Send : Step::What::Receive;
        step.message = message_index(send ? *send : *receive);
        const YamlValue peer = value.at(send ? "to" : "from");
        if (value.find(send ? "from" : "to"))
            value.fail(send ? "a send has 'to', not 'from'" : "a receive has 'from', not 'to'");
        step.peer = peer_of(peer, step);
        if (const auto of = value.find("of")) {
            of->one_of({"each part"});
            step.each_part = true;
        }
        return step;
    }

    Step alternatives(const YamlValue& either, bool inside, Step step) const {
        if (inside) either.fail("'either' stands inside another one; write all alternatives in one list");
        step.what = Step::What::Either;
        for (const YamlValue& each : either.items()) step.either.push_back(steps(each, true));
        if (step.either.size() < 2) either.fail("has fewer than two alternatives; write the steps alone");
        return step;
    }

    std::size_t message_index(const YamlValue& value) const {
        std::vector<std::string> names;
        for (const Message& each : model_.messages) names.push_back(each.name);
        return index(names, value.one_of(names));
    }

    Peer peer_of(const YamlValue& value, const Step& step) const {
        const std::vector<std::string> peers = {"parent", "one child", "that child", "each child", "each neighbour"};
        const Peer peer = static_cast<Peer>(index(peers, value.one_of(peers)));
        const Message& message = model_.messages[step.message];
        const bool up = (peer == Peer::Parent) == (step.what == Step::What::Send);
        const bool fits =
            peer == Peer::EachNeighbour ? message.way == Way::Both : message.way == Way::Both || (message.way == Way::Up) == up;
        if (!fits)
            value.fail("message '" + message.name + "' does not go that way; its 'way' is " +
                       (message.way == Way::Up     ? "up, from a child to its parent"
                        : message.way == Way::Down ? "down, from a parent to a child"
                                                   : "both"));
        return peer;
    }

    void check_order() const {
        if (model_.one_by_one && !model_.is_fixed())
            file_.at("order").fail("'one by one' needs a model without choice: no 'one child', no 'either', no parts");
        if (!model_.one_by_one && model_.is_fixed())
            file_.at("order").fail("a model without choice is analysed one unit after the other; write 'one by one'");
    }

    void check_use() const {
        std::set<std::size_t> used;
        for (const Place& place : model_.places) note_use(place.steps, used);
        const std::vector<YamlValue> messages = file_.at("messages").items();
        for (std::size_t i = 0; i < messages.size(); ++i)
            if (!used.contains(i)) messages[i].fail("no place sends or receives this message; remove it");
        if (model_.is_fixed()) return;
        try {
            farm_rules(model_);
        } catch (const vocabulary::RequestError& error) {
            file_.at("places").fail(error.what());
        }
    }

    static void note_use(const std::vector<Step>& steps, std::set<std::size_t>& used) {
        for (const Step& step : steps) {
            if (step.what == Step::What::Send || step.what == Step::What::Receive) used.insert(step.message);
            for (const auto& each : step.either) note_use(each, used);
        }
    }

    const YamlValue& file_;
    FaultModel model_;
};

// Nothing but comments.
bool is_empty(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != std::string::npos && line[first] != '#') return false;
    }
    return true;
}

bool is_fixed_step(const Step& step) {
    return step.what != Step::What::Either && step.peer != Peer::OneChild && step.peer != Peer::ThatChild && !step.each_part;
}

}  // namespace

bool FaultModel::is_fixed() const {
    return std::all_of(places.begin(), places.end(),
                       [](const Place& place) { return std::all_of(place.steps.begin(), place.steps.end(), is_fixed_step); });
}

FaultModel parse_fault_model(const std::string& text, const std::string& file_name) {
    if (is_empty(text))
        throw vocabulary::InputError({file_name, 0, 0}, std::string("is empty; begin with 'format: ") + format_name +
                                                            "', and add name, order, messages and places, as in "
                                                            "examples/models/pipeline.yaml");
    const YamlValue file = YamlValue::parse(text, file_name);
    return Reader(file).read();
}

FaultModel read_fault_model(const std::string& path) {
    return parse_fault_model(topologies::read_text(path), path);
}

}  // namespace tmon_models
