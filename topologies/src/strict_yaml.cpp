#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <topologies/strict_yaml.hpp>
#include <vocabulary/nearest_name.hpp>

#include "quantity.hpp"
#include "yaml_tree.hpp"

namespace topologies {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

// "V, R or D"
std::string word_list(const std::vector<std::string>& words) {
    if (words.size() == 1) return words.front();
    return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string what_it_is(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::Text:
            return "the text '" + node.text + "'";
        case YamlNode::Kind::List:
            return "a list";
        case YamlNode::Kind::Map:
            return "a map";
        case YamlNode::Kind::Empty:
            break;
    }
    return "empty";
}

}  // namespace

std::string read_text(const std::string& path) {
    const auto cannot = [&path](int error) {
        return InputError({path, 0, 0}, fmt::format("cannot be read: {}; check the path", std::strerror(error)));
    };
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) throw cannot(errno);
    std::string text;
    char buffer[1 << 14];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) text.append(buffer, count);
    if (std::ferror(file.get())) throw cannot(errno);
    return text;
}

YamlValue::YamlValue(std::shared_ptr<const YamlDocument> document, const YamlNode& node, std::string label)
    : document_(std::move(document)), node_(&node), label_(std::move(label)) {}

YamlValue YamlValue::parse(const std::string& text, const std::string& file_name, const std::string& label) {
    auto document = std::make_shared<const YamlDocument>(parse_yaml_tree(text, file_name));
    const YamlNode& root = document->root;
    return YamlValue(std::move(document), root, label);
}

YamlValue YamlValue::read_file(const std::string& path) {
    return parse(read_text(path), path);
}

SourcePosition YamlValue::where() const {
    return {document_->file, node_->line, node_->column};
}

SourcePosition YamlValue::where(std::size_t offset) const {
    return {document_->file, node_->line, node_->column + static_cast<int>(offset) + (node_->quoted ? 1 : 0)};
}

SourcePosition YamlValue::where_key(const std::string& key) const {
    for (const auto& [name, value] : map().entries) {
        if (name.text == key) return {document_->file, name.line, name.column};
    }
    return where();
}

void YamlValue::fail(const std::string& message) const {
    throw InputError(where(), message);
}

void YamlValue::fail_kind(const std::string& expected, const std::string& remedy) const {
    fail(fmt::format("{} must be {}, but is {}; {}", label_, expected, what_it_is(*node_), remedy));
}

bool YamlValue::is_map() const {
    return node_->kind == YamlNode::Kind::Map;
}
bool YamlValue::is_list() const {
    return node_->kind == YamlNode::Kind::List;
}
bool YamlValue::is_scalar() const {
    return node_->kind == YamlNode::Kind::Text;
}
bool YamlValue::is_null() const {
    return node_->kind == YamlNode::Kind::Empty;
}

const YamlNode& YamlValue::map() const {
    if (!is_map()) fail_kind("a map", "write lines of 'key: value', or '{key: value}'");
    return *node_;
}

void YamlValue::only_keys(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : map().entries) {
        if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
        const std::string hint = vocabulary::did_you_mean(key.text, known);
        const std::string remedy = hint.empty() ? fmt::format("; the keys here are {}", fmt::join(known, ", ")) : hint;
        throw InputError({document_->file, key.line, key.column}, fmt::format("unknown key '{}'{}", key.text, remedy));
    }
}

std::optional<YamlValue> YamlValue::find(const std::string& key) const {
    for (const auto& [name, value] : map().entries) {
        if (name.text == key) return YamlValue(document_, value, "'" + key + "'");
    }
    return std::nullopt;
}

YamlValue YamlValue::at(const std::string& key) const {
    auto value = find(key);
    if (!value) fail(fmt::format("key '{0}' is missing in {1}; add '{0}: ...'", key, label_));
    return *value;
}

std::vector<std::pair<std::string, YamlValue>> YamlValue::entries() const {
    std::vector<std::pair<std::string, YamlValue>> result;
    for (const auto& [key, value] : map().entries) {
        result.emplace_back(key.text, YamlValue(document_, value, "'" + key.text + "'"));
    }
    return result;
}

std::vector<YamlValue> YamlValue::items() const {
    if (!is_list()) fail_kind("a list", "write lines that begin with '- ', or '[a, b]'");
    std::vector<YamlValue> result;
    for (const YamlNode& item : node_->items) result.push_back(YamlValue(document_, item, "an entry of " + label_));
    return result;
}

std::string YamlValue::text() const {
    if (!is_scalar()) fail_kind("one value", "write a single word or number");
    return node_->text;
}

bool YamlValue::boolean() const {
    const std::string word = text();
    if (word != "true" && word != "false") {
        fail(fmt::format("{} is '{}', but must be true or false; write one of the two", label_, word));
    }
    return word == "true";
}

std::int64_t YamlValue::integer(std::int64_t least, std::int64_t most) const {
    const std::string word = text();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    if (!whole || value < least || value > most) {
        fail(fmt::format("{} is '{}', but must be a whole number from {} to {}; write a number in that range", label_, word,
                         least, most));
    }
    return value;
}

double YamlValue::number() const {
    const std::string word = text();
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
        fail(fmt::format("{} is '{}', but must be a number; write one such as 12.5", label_, word));
    }
    return value;
}

vocabulary::SimTime YamlValue::time() const {
    return parse_time(text(), where());
}
std::uint64_t YamlValue::byte_size() const {
    return parse_byte_size(text(), where());
}
std::int64_t YamlValue::frequency_hz() const {
    return parse_frequency_hz(text(), where());
}

std::string YamlValue::one_of(const std::vector<std::string>& words) const {
    std::string word = text();
    if (std::find(words.begin(), words.end(), word) == words.end()) {
        const std::string hint = vocabulary::did_you_mean(word, words);
        fail(fmt::format("{} is '{}'{}", label_, word, hint.empty() ? "; write " + word_list(words) : hint));
    }
    return word;
}

}  // namespace topologies
