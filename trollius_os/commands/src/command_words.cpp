#include <trollius_commands/command_words.hpp>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <vocabulary/source_position.hpp>

namespace trollius_commands {

using vocabulary::RequestError;

namespace {

// Decimal, or hexadecimal after "0x".
std::optional<std::uint32_t> whole_number(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// Numbers and ranges between commas. `most` bounds a range, so that a slip does not fill the memory.
std::optional<std::vector<std::uint32_t>> numbers_in(const std::string& text, std::uint32_t most) {
    std::vector<std::uint32_t> numbers;
    if (text.empty() || text.back() == ',') return std::nullopt;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        const std::size_t dash = part.find('-');
        const auto first = whole_number(part.substr(0, dash));
        const auto last = dash == std::string::npos ? first : whole_number(part.substr(dash + 1));
        if (!first || !last) return std::nullopt;
        if (*first > *last) throw RequestError(fmt::format("the range '{}' has its ends the wrong way round", part));
        for (std::uint32_t n = *first; n <= std::min(*last, most); ++n) numbers.push_back(n);
        if (*last > most) numbers.push_back(*last);
    }
    return numbers;
}

}  // namespace

bool ProcessChoice::has(std::uint32_t pid, std::uint32_t index) const {
    return std::find(pids.begin(), pids.end(), pid) != pids.end() ||
           std::find(indexes.begin(), indexes.end(), index) != indexes.end();
}

std::optional<std::vector<NodeId>> nodes_in(const std::string& word, const Site& site) {
    if (word == "h" || word == "o") return std::vector<NodeId>{site.host};
    if (word == "N") {
        std::vector<NodeId> all;
        for (std::size_t i = 0; i < site.nodes; ++i) all.emplace_back(static_cast<NodeId::value_type>(i));
        return all;
    }
    if (word.size() < 2 || word[0] != 'n') return std::nullopt;
    const auto numbers = numbers_in(word.substr(1), static_cast<std::uint32_t>(site.nodes));
    if (!numbers) return std::nullopt;
    std::vector<NodeId> nodes;
    for (const std::uint32_t number : *numbers) {
        if (number >= site.nodes)
            throw RequestError(
                fmt::format("there is no node n{}; the machine has n0 to n{}, and 'h' is the host", number, site.nodes - 1));
        nodes.emplace_back(static_cast<NodeId::value_type>(number));
    }
    return nodes;
}

std::string node_text(NodeId node, const Site& site) {
    return node == site.host ? "h" : fmt::format("n{}", node.value());
}

CommandWords::CommandWords(const std::vector<std::string>& words, Site site, const std::string& flags,
                           const std::string& values, std::string usage)
    : site_(std::move(site)), usage_(std::move(usage)) {
    for (std::size_t at = 1; at < words.size(); ++at) {
        if (words[at] == "--") {
            has_arguments_ = true;
            arguments_.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
            return;
        }
        if (words[at].size() > 1 && words[at][0] == '-') {
            take_option(words, at, flags, values);
        } else {
            operands_.push_back(words[at]);
        }
    }
}

void CommandWords::take_option(const std::vector<std::string>& words, std::size_t& at, const std::string& flags,
                               const std::string& values) {
    const std::string word = words[at];
    for (std::size_t i = 1; i < word.size(); ++i) {
        const char letter = word[i];
        if (flags.find(letter) != std::string::npos) {
            options_.push_back({letter, {}});
        } else if (values.find(letter) != std::string::npos) {
            std::string value = word.substr(i + 1);
            if (value.empty() && at + 1 == words.size()) fail(fmt::format("'-{}' needs a value", letter));
            if (value.empty()) value = words[++at];
            options_.push_back({letter, std::move(value)});
            return;
        } else {
            fail(fmt::format("there is no option '-{}'", letter));
        }
    }
}

bool CommandWords::has(char option) const {
    return std::any_of(options_.begin(), options_.end(), [option](const Option& o) { return o.letter == option; });
}

std::optional<std::string> CommandWords::value(char option) const {
    const auto found =
        std::find_if(options_.rbegin(), options_.rend(), [option](const Option& o) { return o.letter == option; });
    if (found == options_.rend()) return std::nullopt;
    return found->value;
}

std::uint32_t CommandWords::number(char option, std::uint32_t usual, std::uint32_t least, std::uint32_t most) const {
    const auto text = value(option);
    if (!text) return usual;
    const auto number = whole_number(*text);
    if (!number || *number < least || *number > most)
        fail(fmt::format("'-{} {}': expected a whole number from {} to {}", option, *text, least, most));
    return *number;
}

std::vector<NodeId> CommandWords::take_nodes(bool or_usual) {
    std::vector<NodeId> nodes;
    std::size_t taken = 0;
    for (; taken < operands_.size(); ++taken) {
        const auto some = nodes_in(operands_[taken], site_);
        if (!some) break;
        nodes.insert(nodes.end(), some->begin(), some->end());
    }
    operands_.erase(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(taken));
    if (!nodes.empty()) return nodes;
    if (or_usual) return site_.usual;
    fail(operands_.empty() ? "no node is named" : fmt::format("'{}' is no node", operands_[0]));
}

ProcessChoice CommandWords::take_processes() {
    ProcessChoice choice;
    std::erase_if(operands_, [&](const std::string& word) {
        const bool by_pid = word[0] == 'p';
        if (!by_pid && word[0] != '%' && word[0] != 'i') return false;
        const auto numbers = numbers_in(word.substr(1), UINT32_MAX - 1);
        if (!numbers) return false;
        auto& list = by_pid ? choice.pids : choice.indexes;
        list.insert(list.end(), numbers->begin(), numbers->end());
        return true;
    });
    return choice;
}

std::vector<std::string> CommandWords::take_rest() {
    return std::exchange(operands_, {});
}

void CommandWords::end() const {
    if (has_arguments_) fail("'--' begins a program's arguments, and there is no program");
    if (!operands_.empty()) fail(fmt::format("'{}' is neither a node nor a process", operands_[0]));
}

void CommandWords::fail(const std::string& what) const {
    throw RequestError(fmt::format("{}; write '{}'", what, usage_));
}

}  // namespace trollius_commands
