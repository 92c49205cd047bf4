#include <topologies/bnail_file.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <topologies/machine_checks.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "quantity.hpp"

namespace topologies {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

struct Word {
    std::string text;
    int column = 0;
};

// The end of a wire as a line names it: node and link; the host is node -1.
using End = std::pair<int, int>;
constexpr int host_node = -1;

// Takes comments away, "# ..." and "/* ... */"; the places of the rest stay.
std::string without_comments(std::string text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::size_t end = at;
        if (text[at] == '#') {
            end = std::min(text.find('\n', at), text.size());
        } else if (text.compare(at, 2, "/*") == 0) {
            const std::size_t close = text.find("*/", at + 2);
            end = close == std::string::npos ? text.size() : close + 2;
        }
        for (; at < end; ++at)
            if (text[at] != '\n') text[at] = ' ';
    }
    return text;
}

std::vector<Word> words_in(const std::string& line) {
    std::vector<Word> words;
    for (std::size_t at = line.find_first_not_of(" \t\r"); at != std::string::npos; at = line.find_first_not_of(" \t\r", at)) {
        const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
        words.push_back({line.substr(at, end - at), static_cast<int>(at) + 1});
        at = end;
    }
    return words;
}

class BnailReader {
public:
    BnailReader(std::string file, std::string name) : file_(std::move(file)) { machine_.name = std::move(name); }

    MachineDescription read(const std::string& text) {
        const std::string plain = without_comments(text);
        for (std::size_t at = 0; at < plain.size(); ++line_) {
            const std::size_t end = std::min(plain.find('\n', at), plain.size());
            const std::vector<Word> words = words_in(plain.substr(at, end - at));
            if (!words.empty()) take(words);
            at = end + 1;
        }
        line_ = 0;
        nodes();
        wires();
        boot_order();
        check_machine(machine_, places_);
        return std::move(machine_);
    }

private:
    struct Node {
        SourcePosition where;
        std::vector<std::pair<std::optional<End>, SourcePosition>> peers;  // by link; a peer's link may be left out (-1)
    };

    [[noreturn]] void fail(const Word& word, const std::string& message) const {
        throw InputError({file_, line_, word.column}, message);
    }
    SourcePosition place(const Word& word) const { return {file_, line_, word.column}; }

    void take(const std::vector<Word>& words) {
        const std::string& what = words[0].text;
        static const std::vector<std::string> known = {"NODE",   "TLINK", "TORDER", "TWEIGHT", "HOST",
                                                       "DEVICE", "WASTE", "RAM",    "CLOCK"};
        if (std::find(known.begin(), known.end(), what) == known.end())
            fail(words[0], "expected NODE, TLINK, TORDER, TWEIGHT, HOST, DEVICE, WASTE, RAM or CLOCK, and got '" + what + "'" +
                               vocabulary::did_you_mean(what, known));
        if (what == "NODE") return node(words);
        if (what == "TLINK") return link(words);
        if (what == "TORDER") {
            for (std::size_t i = 1; i < words.size(); ++i) order_.emplace_back(node_number(words[i]), place(words[i]));
            return;
        }
        if (what == "WASTE") return waste(words);
        if (words.size() < 2) fail(words[0], "'" + what + "' needs a value");
        if (what == "RAM") ram_ = parse_byte_size(words[1].text, place(words[1]));
        if (what == "CLOCK") clock_ = parse_frequency_hz(words[1].text, place(words[1]));
        if (what == "TWEIGHT") machine_.weight = weight(words[1]);
    }

    std::uint32_t weight(const Word& word) const {
        const int number = whole(word, word.text, "the weight of a link");
        check_weight(static_cast<std::uint64_t>(number), place(word));
        return static_cast<std::uint32_t>(number);
    }

    // WASTE 0 5
    void waste(const std::vector<Word>& words) {
        if (words.size() < 2) fail(words[0], "'WASTE' needs the numbers of nodes that do not compute");
        for (std::size_t i = 1; i < words.size(); ++i) {
            const int node = node_number(words[i]);
            if (node == host_node) fail(words[i], "the host is none of the nodes that compute; name nodes in the box");
            machine_.waste.emplace_back(static_cast<NodeId::value_type>(node));
            places_.waste.push_back(place(words[i]));
        }
    }

    int whole(const Word& word, const std::string& digits, const char* what) const {
        int number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || number < 0)
            fail(word, std::string("expected ") + what + ", and got '" + word.text + "'");
        return number;
    }
    int node_number(const Word& word) const {
        if (word.text == "h") return host_node;
        const int number = whole(word, word.text, "the number of a node, or h");
        if (number >= static_cast<int>(most_nodes)) fail_number(word);
        return number;
    }
    [[noreturn]] void fail_number(const Word& word) const {
        fail(word, "a machine has nodes 0 to " + std::to_string(most_nodes - 1));
    }
    // "3:1", "3", "h:0", "3.1"; a link of -1 is not given.
    End end_of(const Word& word, char separator) const {
        const std::size_t at = word.text.find(separator);
        const std::string before = word.text.substr(0, at);
        const int node = before == "h" ? host_node : whole(word, before, "an end such as 3:1, 3 or h:0, or -");
        if (at == std::string::npos) return {node, -1};
        const int number = whole(word, word.text.substr(at + 1), "a link");
        if (number >= static_cast<int>(links_per_node)) fail(word, "a node has links 0 to 3, and the host connections 0 to 3");
        return {node, number};
    }

    // NODE id ITB conf peer peer peer peer
    void node(const std::vector<Word>& words) {
        if (words.size() < 4) fail(words[0], "expected NODE, its number, ITB, its process schema, and up to four peers");
        const int number = whole(words[1], words[1].text, "the number of a node");
        if (number >= static_cast<int>(most_nodes)) fail_number(words[1]);
        if (words[2].text != "ITB") fail(words[2], "a node in the box is of type ITB; the host is named with HOST");
        if (words.size() > 4 + links_per_node) fail(words[4 + links_per_node], "a node has four links");
        Node one{place(words[1]), {}};
        for (std::size_t i = 4; i < words.size(); ++i) {
            std::optional<End> peer;
            if (words[i].text != "-") peer = end_of(words[i], ':');
            one.peers.emplace_back(peer, place(words[i]));
        }
        if (!nodes_.emplace(number, std::move(one)).second)
            fail(words[1], "node " + words[1].text + " has a line already; give each node one");
    }

    // TLINK 0.1 1.0 [weight]
    void link(const std::vector<Word>& words) {
        if (words.size() < 3 || words.size() > 4) fail(words[0], "expected TLINK and two ends, for example TLINK 0.1 1.0");
        const End a = end_of(words[1], '.'), b = end_of(words[2], '.');
        if (a.second < 0) fail(words[1], "expected a node and a link, for example 0.1");
        if (b.second < 0) fail(words[2], "expected a node and a link, for example 1.0");
        add(a, b, place(words[1]), place(words[2]));
        if (words.size() < 4) return;
        machine_.weights.push_back({wire_end(a), wire_end(b), weight(words[3])});
        places_.weights.push_back(place(words[3]));
    }

    void nodes() {
        if (nodes_.empty())
            throw InputError({file_, 0, 0}, "there is no node; give each a line NODE 0 ITB conf.t800 h:0 1:0 - -");
        const int last = nodes_.rbegin()->first;
        for (int i = 0; i <= last; ++i) {
            if (!nodes_.contains(i))
                throw InputError(nodes_.rbegin()->second.where, "node " + std::to_string(last) + " is there and node " +
                                                                    std::to_string(i) + " is not; number the nodes from 0 on");
        }
        machine_.nodes.assign(nodes_.size(), {ram_, clock_});
    }

    // The other end's link: as written, or the one whose line names this node.
    End whole_end(End from, End to, const SourcePosition& where) const {
        if (to.first == host_node) return {host_node, std::max(to.second, 0)};
        const auto other = nodes_.find(to.first);
        if (other == nodes_.end()) throw InputError(where, "there is no node " + std::to_string(to.first));
        std::vector<int> back;
        for (std::size_t link = 0; link < other->second.peers.size(); ++link) {
            const auto& peer = other->second.peers[link].first;
            const bool names_it = peer && peer->first == from.first && (peer->second < 0 || peer->second == from.second);
            if (names_it && (to.second < 0 || to.second == static_cast<int>(link))) back.push_back(static_cast<int>(link));
        }
        if (back.size() != 1)
            throw InputError(where, "the line of node " + std::to_string(to.first) + " names node " +
                                        std::to_string(from.first) + (back.empty() ? " nowhere" : " more than once") +
                                        "; write both ends with their links, as 3:1");
        return {to.first, back[0]};
    }

    void wires() {
        for (const auto& [number, node] : nodes_) {
            for (std::size_t link = 0; link < node.peers.size(); ++link) {
                const auto& [peer, where] = node.peers[link];
                const End from{number, static_cast<int>(link)};
                if (peer) add(from, whole_end(from, *peer, where), where, where);
            }
        }
    }

    void add(End a, End b, const SourcePosition& at_a, const SourcePosition& at_b) {
        if (!wired_.insert(std::minmax(a, b)).second) return;  // the line of the other node has it too
        machine_.wires.push_back({wire_end(a), wire_end(b)});
        places_.wires.emplace_back(at_a, at_b);
    }
    static WireEnd wire_end(End end) {
        const auto link = static_cast<LinkNo::value_type>(end.second);
        if (end.first == host_node) return HostEnd{LinkNo(link)};
        return NodeLink{NodeId(static_cast<NodeId::value_type>(end.first)), LinkNo(link)};
    }

    // The host comes first; whether each node comes behind one of its neighbours is checked with the whole machine.
    void boot_order() {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto& [node, where] = order_[i];
            if (i == 0 && node != host_node) throw InputError(where, "the boot order begins with the host, h");
            if (i == 0) continue;
            if (node == host_node) throw InputError(where, "this node is in the boot order already");
            machine_.boot_order.emplace_back(static_cast<NodeId::value_type>(node));
            places_.boot_order.push_back(where);
        }
    }

    std::string file_;
    int line_ = 1;
    MachineDescription machine_;
    MachinePlaces places_{.file = {file_, 0, 0},
                          .host = {},
                          .wires = {},
                          .connections = {},
                          .control = {},
                          .control_key = {},
                          .interrupt_master = {}};
    std::uint64_t ram_ = 4ULL << 20;  // the machine of the thesis has nodes of 1 to 16 MiB (section 5.3.1)
    std::int64_t clock_ = 20'000'000;
    std::map<int, Node> nodes_;
    std::vector<std::pair<int, SourcePosition>> order_;
    std::set<std::pair<End, End>> wired_;
};

}  // namespace

bool is_bnail_name(const std::string& path) {
    return std::filesystem::path(path).filename().string().starts_with("bnail.");
}

MachineDescription parse_bnail(const std::string& text, const std::string& file_name) {
    return BnailReader(file_name, std::filesystem::path(file_name).filename().string().substr(6)).read(text);
}

}  // namespace topologies
