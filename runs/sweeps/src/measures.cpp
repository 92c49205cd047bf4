#include <sweeps/measures.hpp>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <vocabulary/nearest_name.hpp>

#include "expression.hpp"

namespace sweeps {

using Json = nlohmann::ordered_json;
using vocabulary::InputError;

namespace {

// "farm.rate". For keys with dots: a JSON pointer (RFC 6901), without its escapes.
std::vector<std::string> steps_of(const std::string& path) {
    const char between = path.starts_with('/') ? '/' : '.';
    std::vector<std::string> steps;
    for (std::size_t at = between == '/' ? 1 : 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(between, at), path.size());
        steps.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    return steps;
}

const Json* step_into(const Json& where, const std::string& step) {
    if (where.is_object()) {
        const auto found = where.find(step);
        return found == where.end() ? nullptr : &*found;
    }
    if (!where.is_array()) return nullptr;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    return error == std::errc() && end == step.data() + step.size() && index < where.size() ? &where[index] : nullptr;
}

const Json* find(const Json& documents, const std::string& path) {
    const Json* at = &documents;
    for (const std::string& step : steps_of(path)) {
        at = step_into(*at, step);
        if (at == nullptr) return nullptr;
    }
    return at;
}

Value value_of(const Json* found) {
    if (found == nullptr || found->is_null() || found->is_structured()) return {};
    if (found->is_string()) return {{}, found->get<std::string>(), true};
    if (found->is_boolean()) return {found->get<bool>() ? 1.0 : 0.0, {}, false};
    return {found->get<double>(), {}, false};
}

std::vector<std::string> keys_of(const Json& where) {
    std::vector<std::string> keys;
    if (where.is_object())
        for (const auto& [key, value] : where.items()) keys.push_back(key);
    return keys;
}

std::string what_is_there(const Json& where) {
    constexpr std::size_t most = 12;
    if (where.is_array()) return fmt::format("a list of {}: write a number from 0 on", where.size());
    if (!where.is_object()) return "a value without parts";
    std::string text;
    std::size_t count = 0;
    for (const std::string& key : keys_of(where)) {
        if (count++ == most) return text + ", ...";
        text += (text.empty() ? "" : ", ") + key;
    }
    return text.empty() ? "nothing" : text;
}

// The document that its path leads through: the run's JSON, or what the commands printed.
const Json& root_of(const Study& study, const Measure& measure, const Json& documents) {
    const std::string first = steps_of(measure.path).front();
    const bool is_printed =
        (study.maker && first == made_name) || std::any_of(study.commands.begin(), study.commands.end(),
                                                           [&](const Command& command) { return command.name == first; });
    return is_printed || !study.runs ? documents.at(commands_key) : documents;
}

void check_path(const Measure& measure, const Json& documents, const char* where) {
    const Json* at = &documents;
    std::string so_far;
    for (const std::string& step : steps_of(measure.path)) {
        const Json* next = step_into(*at, step);
        if (next == nullptr)
            throw InputError(measure.where, fmt::format("'{}': there is no '{}' {}{}; there are {}", measure.path, step,
                                                        so_far.empty() ? where : "in '" + so_far + "'",
                                                        vocabulary::did_you_mean(step, keys_of(*at)), what_is_there(*at)));
        so_far += (so_far.empty() ? "" : ".") + step;
        at = next;
    }
    if (at->is_structured())
        throw InputError(measure.where,
                         fmt::format("'{}' is no single value; name one of its parts: {}", measure.path, what_is_there(*at)));
}

}  // namespace

const Measure* first_of(const Study& study, const std::string& document) {
    const auto found = std::find_if(study.measures.begin(), study.measures.end(), [&](const Measure& one) {
        return one.expression.empty() && steps_of(one.path).front() == document;
    });
    return found == study.measures.end() ? nullptr : &*found;
}

Measured measure(const Study& study, const Json& documents) {
    Measured made;
    std::vector<std::pair<std::string, std::optional<double>>> known;
    for (const Measure& one : study.measures) {
        if (one.expression.empty()) {
            made.values.push_back(value_of(find(root_of(study, one, documents), one.path)));
        } else {
            const Evaluated result = evaluate(one.expression, known);
            if (result.is_undefined && made.failure.empty())
                made.failure = fmt::format("'{}' is '{}', which has no finite value here; change it, as 'b != 0 ? a / b : 0'",
                                           one.name, one.expression);
            made.values.push_back({result.value, {}, false});
        }
        known.emplace_back(one.name, made.values.back().number);
    }
    return made;
}

void check_measures(const Study& study, const Json& documents) {
    for (const Command& command : study.commands)
        if (documents.contains(command.name))
            throw InputError(
                command.where,
                fmt::format("'{}' is a part of the run's own JSON already; give the command another name", command.name));
    for (const Measure& one : study.measures)
        if (one.expression.empty())
            check_path(one, root_of(study, one, documents), study.runs ? "in the JSON of a run" : "in what the commands print");
    const std::vector<Value> values = measure(study, documents).values;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Measure& one = study.measures[i];
        if (!one.expression.empty() && !values[i].number)
            throw InputError(one.where,
                             fmt::format("'{}' has no finite value for the first point: it divides by zero, or uses a "
                                         "text or a measure without a value; change it, as 'b != 0 ? a / b : 0'",
                                         one.expression));
    }
}

}  // namespace sweeps
