// A template: one text with places, which are filled in with every combination of their values, or with drawn ones.
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "axis_values.hpp"
#include "dice.hpp"
#include "expression.hpp"

namespace sweeps {

using topologies::YamlValue;

namespace {

struct Place {
    std::string name;
    Sequence values;
    bool is_used = false;
};

class Template {
public:
    explicit Template(const YamlValue& given) : given_(given) {
        given.only_keys({"template", "places", "draw", "seed"});
        if (const auto seed = given.find("seed"); seed && !given.find("draw"))
            seed->fail("nothing is drawn here; write 'draw: NUMBER', or leave 'seed' out");
        read_places();
        cut_into_pieces(given.at("template"));
        for (const Place& place : places_)
            if (!place.is_used)
                given.at("places")
                    .at(place.name)
                    .fail(fmt::format("the template has no '{{{0}}}'; write it where the value belongs, or leave '{0}' out",
                                      place.name));
    }

    std::vector<std::string> fill() const { return given_.find("draw") ? drawn() : all(); }

private:
    void read_places() {
        const YamlValue all = given_.at("places");
        for (const auto& [name, values] : all.entries()) {
            if (!is_name(name))
                throw vocabulary::InputError(all.where_key(name),
                                             fmt::format("'{}' is no name of a place; use letters, digits and '_'", name));
            places_.push_back({name, values_of(values)});
            if (places_.back().values.size == 0)
                values.fail(fmt::format("the place '{}' has no value; give at least one", name));
        }
        if (places_.empty()) all.fail("a template needs a place, as 'node: n1..n7'");
    }
    static Sequence values_of(const YamlValue& given) {
        if (given.is_map()) return read_range(given, {});
        if (!given.is_list()) return read_span(given);
        std::vector<std::string> texts;
        for (const YamlValue& one : given.items()) texts.push_back(one.text());
        const std::size_t size = texts.size();
        return {size, [texts = std::move(texts)](std::size_t i) { return texts[i]; }};
    }

    // "die {node} at {at}": the texts between the places, and the places.
    void cut_into_pieces(const YamlValue& given) {
        const std::string text = given.text();
        std::size_t begin = 0;
        for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
            const std::size_t end = text.find('}', at);
            if (end == std::string::npos) break;
            const std::string name = text.substr(at + 1, end - at - 1);
            if (!is_name(name)) continue;
            pieces_.emplace_back(text.substr(begin, at - begin), place_of(name, given, at));
            begin = end + 1;
        }
        rest_ = text.substr(begin);
    }
    std::size_t place_of(const std::string& name, const YamlValue& given, std::size_t at) {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i].name != name) continue;
            places_[i].is_used = true;
            return i;
        }
        throw vocabulary::InputError(given.where(at), fmt::format("'places' has no '{0}'; add '{0}: [a, b]' there", name));
    }

    std::string text_of(const std::vector<std::size_t>& choice) const {
        std::string text;
        for (const auto& [before, place] : pieces_) text += before + places_[place].values.at(choice[place]);
        return text + rest_;
    }

    // How many combinations there are, at most one more than `most`.
    std::size_t combinations(std::size_t most) const {
        std::size_t count = 1;
        for (const Place& place : places_) {
            if (count > most / place.values.size + 1) return most + 1;
            count *= place.values.size;
        }
        return count;
    }

    std::vector<std::string> all() const {
        const std::size_t count = combinations(most_values);
        if (count > most_values)
            given_.at("places").fail(
                fmt::format("the places make more than {} values; draw some by 'draw: NUMBER'", most_values));
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<std::size_t> choice(places_.size());
            std::size_t rest = i;
            for (std::size_t place = places_.size(); place-- > 0; rest /= places_[place].values.size)
                choice[place] = rest % places_[place].values.size;
            texts.push_back(text_of(choice));
        }
        return texts;
    }

    // Each draw depends on the seed and its number alone, and one that was there is left out: a longer draw begins alike.
    std::vector<std::string> drawn() const {
        const YamlValue draw = given_.at("draw");
        const auto count = static_cast<std::size_t>(draw.integer(1, most_values));
        const auto given_seed = given_.find("seed");
        const auto seed = static_cast<std::uint64_t>(given_seed ? given_seed->integer(0, INT64_MAX) : 1);
        const std::size_t most = combinations(count);
        if (most < count) draw.fail(fmt::format("the places make {} different values; draw at most so many", most));
        std::vector<std::string> texts;
        std::set<std::string> seen;
        const std::size_t attempts = 100 * count + 10'000;
        for (std::size_t number = 0; texts.size() < count; ++number) {
            if (number == attempts)
                draw.fail(fmt::format("after {} draws there are only {} different values; draw fewer", attempts, texts.size()));
            std::vector<std::size_t> choice;
            for (const Place& place : places_) choice.push_back(Dice(seed, place.name, number).below(place.values.size));
            std::string text = text_of(choice);
            if (seen.insert(text).second) texts.push_back(std::move(text));
        }
        return texts;
    }

    const YamlValue& given_;
    std::vector<Place> places_;
    std::vector<std::pair<std::string, std::size_t>> pieces_;  // a text and the place behind it
    std::string rest_;
};

}  // namespace

std::vector<std::string> fill_template(const YamlValue& given) {
    return Template(given).fill();
}

}  // namespace sweeps
