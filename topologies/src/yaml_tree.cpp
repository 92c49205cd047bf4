#include "yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace topologies {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

SourcePosition position(const std::string& file, const YAML::Mark& mark) {
    if (mark.is_null()) return {file, 0, 0};
    return {file, mark.line + 1, mark.column + 1};
}

// Builds the tree from the outside in. A list or map stays on the stack until its end arrives; then it becomes part of the one
// below.
class TreeBuilder : public YAML::EventHandler {
public:
    explicit TreeBuilder(std::string file) : file_(std::move(file)) {}
    YamlNode take_root() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (seen_document_) fail(mark, "a second document begins here; keep one document a file");
        seen_document_ = true;
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        refuse_extras(mark, "", anchor);
        add(node_at(mark, YamlNode::Kind::Empty));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        fail(mark, "aliases are not supported; write the value out");
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
        refuse_extras(mark, tag, anchor);
        YamlNode node = node_at(mark, YamlNode::Kind::Text);
        node.text = value;
        node.quoted = tag == "!";
        add(std::move(node));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        refuse_extras(mark, tag, anchor);
        open_.push_back({node_at(mark, YamlNode::Kind::List), std::nullopt});
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        refuse_extras(mark, tag, anchor);
        open_.push_back({node_at(mark, YamlNode::Kind::Map), std::nullopt});
    }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        YamlNode node;
        std::optional<YamlNode> key;  // key of the map entry that waits for its value
    };

    [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
        throw InputError(position(file_, mark), message);
    }
    [[noreturn]] void fail(const YamlNode& node, const std::string& message) const {
        throw InputError({file_, node.line, node.column}, message);
    }
    static YamlNode node_at(const YAML::Mark& mark, YamlNode::Kind kind) {
        YamlNode node;
        node.kind = kind;
        node.line = mark.line + 1;
        node.column = mark.column + 1;
        return node;
    }
    // yaml-cpp gives plain values the tag "?" and quoted ones "!"; any other was written by the user.
    void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
        if (anchor != YAML::NullAnchor) fail(mark, "anchors are not supported; write the value out where it is needed");
        if (tag.size() > 1) fail(mark, fmt::format("the tag '{}' is not supported; leave it out", tag));
    }
    void close() {
        YamlNode node = std::move(open_.back().node);
        open_.pop_back();
        add(std::move(node));
    }
    void add(YamlNode node) {
        if (open_.empty()) {
            root_ = std::move(node);
        } else if (open_.back().node.kind == YamlNode::Kind::List) {
            open_.back().node.items.push_back(std::move(node));
        } else if (!open_.back().key) {
            set_key(open_.back(), std::move(node));
        } else {
            open_.back().node.entries.push_back({std::move(*open_.back().key), std::move(node)});
            open_.back().key.reset();
        }
    }
    void set_key(Open& map, YamlNode key) const {
        if (key.kind != YamlNode::Kind::Text) fail(key, "a key must be one word; write 'word: value'");
        for (const auto& [earlier, value] : map.node.entries) {
            if (earlier.text == key.text) {
                fail(key, fmt::format("key '{}' is already at line {}; keep one of the two", key.text, earlier.line));
            }
        }
        map.key = std::move(key);
    }

    std::string file_;
    bool seen_document_ = false;
    std::vector<Open> open_;
    YamlNode root_;
};

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// The first tab in the indentation of a line up to `last`, if there is one. YAML indents with blanks only. The parser would
// fail later, with another message.
std::optional<SourcePosition> indenting_tab(const std::string& text, const std::string& file_name, int last) {
    int line = 1, open = 0;  // brackets, between which tabs are blanks
    for (std::size_t begin = 0; begin < text.size() && line <= last; ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::size_t word = std::min(text.find_first_not_of(" \t\r", begin), end);
        const std::size_t tab = text.find('\t', begin);
        if (open <= 0 && tab < word && word < end && text[word] != '#')
            return SourcePosition{file_name, line, static_cast<int>(tab - begin) + 1};
        for (std::size_t at = begin; at < end; ++at) {
            open += text[at] == '{' || text[at] == '[' ? 1 : 0;
            open -= text[at] == '}' || text[at] == ']' ? 1 : 0;
        }
        begin = end + 1;
    }
    return std::nullopt;
}

}  // namespace

YamlDocument parse_yaml_tree(const std::string& whole_text, const std::string& file_name) {
    TreeBuilder builder(file_name);
    const std::string text = whole_text.substr(whole_text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    std::istringstream input(text);
    try {
        YAML::Parser parser(input);
        if (!parser.HandleNextDocument(builder)) throw InputError({file_name, 0, 0}, "is empty; write at least 'version: 1'");
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& error) {
        if (const auto tab = indenting_tab(text, file_name, error.mark.is_null() ? 1 : error.mark.line + 1))
            throw InputError(*tab, "a tab in the indentation; YAML indents with spaces only; write spaces instead");
        throw InputError(position(file_name, error.mark),
                         fmt::format("not valid YAML: {}; check brackets, quotes and indentation here", error.msg));
    }
    return {file_name, builder.take_root()};
}

}  // namespace topologies
