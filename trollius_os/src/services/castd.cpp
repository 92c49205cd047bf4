#include <trollius_os/services/castd.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <trollius_os/services.hpp>

#include "cast_rounds.hpp"
#include "cast_words.hpp"

namespace trollius_os::services {
namespace {

using Nodes = std::vector<NodeWord>;
using TreeName = std::pair<NodeId, NodeId>;  // cast and source

struct Tree {
    std::optional<NodeId> parent;  // empty at the source
    std::vector<NodeId> children;  // neighbours, by number
    bool is_member = false;        // the node is in the cast
    bool joins = false;            // laid because the host asked for it
    std::size_t pending = 0;       // branches that have not said that they are laid
    ErrorNumber error = 0;
};

struct Known {
    Nodes nodes;
    std::uint32_t sent = 0, received = 0;
};

// The host's entry of a cast. It has a number when every node has laid its tree.
struct Entry {
    Nodes nodes;
    Caller creator{};
    std::size_t pending = 0;
    ErrorNumber error = 0;
    bool ready() const { return pending == 0 && error == 0; }
};

class Castd {
public:
    Castd(Calls& calls, const NodeServices& services)
        : calls_(calls),
          services_(services),
          here_(calls.node()),
          neighbours_(services.cast_routes ? services.cast_routes() : std::vector<std::optional<NodeId>>()) {}

    Task<> serve() {
        Message message{.event = events::castd, .any_body = &room_};
        co_await calls_.nrecv(message);
        calls_.charge(calls_.kernel().costs().cast_packet);
        if (message.type == cast_packet) {
            const auto packet = decode<CastPacket>(message);
            if (packet && message.length >= sizeof(CastHead))
                co_return co_await carry(*packet, message.body.first(message.length), message.flags & flags::account);
        } else if (const auto request = decode<CastRequest>(message)) {
            co_return co_await obey(*request, message.body.first(message.length));
        }
        calls_.kernel().drop("castd", "an unreadable message");
    }

private:
    Task<> obey(CastRequest request, std::span<const std::byte> body) {
        const NodeId cast = request.cast.id(), from = request.caller.node.id();
        switch (request.call) {
            case CastCall::Create:
                return create(request.caller, words_of<NodeWord>(body));
            case CastCall::Ask:
                return ask(request.caller, cast);
            case CastCall::List:
                return list(request.caller);
            case CastCall::Combine:
                return contribute(request, words_of<std::int32_t>(body));
            case CastCall::Join:
                known_[cast] = {words_of<NodeWord>(body)};
                calls_.kernel().join_cast(cast, ids(known_[cast].nodes));
                return lay({cast, here_}, {}, known_[cast].nodes, true);
            case CastCall::Joined:
                return joined(cast, request.error);
            case CastCall::Lay:
                return lay({cast, source_of(request)}, from, words_of<NodeWord>(body), false);
            case CastCall::Laid:
                return branch_laid({cast, source_of(request)}, request.error);
            case CastCall::Leave:
                known_.erase(cast);
                calls_.kernel().leave_cast(cast);
                return remove({cast, here_}, {});
            case CastCall::Remove:
                return remove({cast, source_of(request)}, from);
            case CastCall::Fetch:
                return fetch(cast, from);
            case CastCall::Told:
                return told(cast, request.error, words_of<NodeWord>(body));
            case CastCall::Partial:
                return partial(request, words_of<std::int32_t>(body));
            case CastCall::Result:
                return result({cast, source_of(request)}, {0, request.error, words_of<std::int32_t>(body)});
        }
        return {};
    }
    static NodeId source_of(const CastRequest& request) { return NodeId(static_cast<NodeId::value_type>(request.one)); }

    Task<> tell(NodeId node, CastRequest request, const std::vector<NodeWord>& nodes) {
        co_await tell_bytes(node, request, std::as_bytes(std::span(nodes)));
    }
    Task<> tell_bytes(NodeId node, CastRequest request, std::span<const std::byte> content) {
        std::vector<std::byte> body(content.begin(), content.end());
        request.caller = {here_, events::castd};
        Message message = request_to(node, events::castd, request, body);
        co_await calls_.answer(message);
    }
    Task<> reply(const Caller& caller, CastAnswer its, std::span<const std::byte> content = {}) {
        std::vector<std::byte> body(content.begin(), content.end());
        Message message = answer_to(caller, its, body);
        co_await calls_.answer(message);
    }

    // ---- Creation, on the host ----

    ErrorNumber objection(const Nodes& nodes) const {
        if (here_ != services_.host) return errors::bad_request;
        if (nodes.empty()) return errors::no_nodes;
        std::set<NodeWord> seen;
        for (const NodeWord node : nodes) {
            const bool there = node.fits() && node.id() <= here_ && (node.id() == here_ || services_.routes[node.id().value()]);
            if (!there) return errors::bad_node;
            if (!seen.insert(node).second) return EINVAL;
        }
        // One that waits for a dead node takes no place.
        const auto made =
            std::count_if(entries_.begin(), entries_.end(), [](const auto& entry) { return entry.second.ready(); });
        return static_cast<std::size_t>(made) >= calls_.kernel().costs().casts ? errors::full : 0;
    }

    Task<> create(Caller caller, Nodes nodes) {
        const ErrorNumber error = objection(nodes);
        if (error != 0) co_return co_await reply(caller, {.error = error});
        const NodeId cast(next_cast_);
        next_cast_ = next_cast_ == UINT16_MAX ? first_cast : static_cast<NodeId::value_type>(next_cast_ + 1);
        entries_[cast] = {nodes, caller, nodes.size()};
        for (const NodeWord node : nodes) co_await tell(node.id(), {.call = CastCall::Join, .cast = cast}, nodes);
    }

    Task<> joined(NodeId cast, ErrorNumber error) {
        const auto found = entries_.find(cast);
        if (found == entries_.end() || found->second.pending == 0) co_return;
        Entry& entry = found->second;
        if (entry.error == 0) entry.error = error;
        if (--entry.pending > 0) co_return;
        const Entry done = entry;
        if (done.error != 0) {
            entries_.erase(found);
            for (const NodeWord node : done.nodes) co_await tell(node.id(), {.call = CastCall::Leave, .cast = cast}, {});
        }
        co_await reply(done.creator, {.error = done.error, .cast = cast});
    }

    Task<> ask(Caller caller, NodeId cast) {
        const auto found = entries_.find(cast);
        if (found == entries_.end() || !found->second.ready()) co_return co_await reply(caller, {.error = errors::bad_node});
        const Nodes nodes = found->second.nodes;
        co_await reply(caller, {.cast = cast, .count = static_cast<std::uint32_t>(nodes.size())},
                       std::as_bytes(std::span(nodes)));
    }

    Task<> fetch(NodeId cast, NodeId from) {
        const auto found = entries_.find(cast);
        const bool there = found != entries_.end() && found->second.ready();
        const Nodes nodes = there ? found->second.nodes : Nodes();
        const CastRequest told{.call = CastCall::Told, .cast = cast, .error = there ? 0 : errors::bad_node};
        co_await tell(from, told, nodes);
    }

    // ---- Trees ----

    // A second branch that leads here is a collision: the first stays, and the source is told.
    Task<> lay(TreeName name, std::optional<NodeId> parent, Nodes nodes, bool joins) {
        const auto [place, is_new] = trees_.try_emplace(name);
        Tree& tree = place->second;
        if (!is_new) {
            if (parent) co_await tell(*parent, laid_message(name, errors::collide), {});
            co_return;
        }
        tree.parent = parent;
        tree.joins = joins;
        std::map<NodeId, Nodes> below;
        for (const NodeWord node : nodes) {
            const auto next =
                node.id() != here_ && node.id().value() < neighbours_.size() ? neighbours_[node.id().value()] : std::nullopt;
            if (next) {
                below[*next].push_back(node);
            } else if (node.id() == here_) {
                tree.is_member = true;
            } else {
                tree.error = errors::bad_node;
            }
        }
        tree.pending = below.size();
        for (const auto& [child, its] : below) tree.children.push_back(child);
        const CastRequest request{.call = CastCall::Lay, .cast = name.first, .one = name.second.value()};
        for (const auto& [child, its] : below) co_await tell(child, request, its);
        if (below.empty()) co_await all_laid(name);
    }
    static CastRequest laid_message(TreeName name, ErrorNumber error) {
        return {.call = CastCall::Laid, .cast = name.first, .one = name.second.value(), .error = error};
    }

    Task<> branch_laid(TreeName name, ErrorNumber error) {
        const auto found = trees_.find(name);
        if (found == trees_.end() || found->second.pending == 0) co_return;
        Tree& tree = found->second;
        if (tree.error == 0) tree.error = error;
        if (--tree.pending == 0) co_await all_laid(name);
    }

    Task<> all_laid(TreeName name) {
        const Tree tree = trees_.at(name);
        const NodeId cast = name.first;
        if (tree.parent) co_return co_await tell(*tree.parent, laid_message(name, tree.error), {});
        if (tree.joins) {
            const CastRequest joined{.call = CastCall::Joined, .cast = cast, .error = tree.error};
            co_await tell(services_.host, joined, {});
        }
        auto held = held_.extract(cast);
        if (held.empty()) co_return;
        for (Held& packet : held.mapped()) co_await carry(CastPacket{cast, here_, packet.number}, packet.body, packet.account);
    }

    Task<> remove(TreeName name, std::optional<NodeId> from) {
        const auto found = trees_.find(name);
        if (found == trees_.end() || found->second.parent != from) co_return;
        const Tree tree = std::move(found->second);
        trees_.erase(found);
        rounds_.erase(name);
        if (!from) discard_held(name.first);
        const CastRequest request{.call = CastCall::Remove, .cast = name.first, .one = name.second.value()};
        for (const NodeId child : tree.children) co_await tell(child, request, {});
    }

    // ---- Messages ----

    Task<> carry(CastPacket packet, std::span<std::byte> content, std::uint32_t account) {
        const TreeName name{packet.cast.id(), packet.source.id()};
        const auto found = trees_.find(name);
        const bool begins = name.second == here_;
        if (begins && (found == trees_.end() || found->second.pending > 0)) co_return co_await hold(packet, content, account);
        if (found == trees_.end() || found->second.error != 0)
            co_return calls_.kernel().drop("castd", "a packet for a cast that has no tree here");
        const std::vector<NodeId> children = found->second.children;
        const bool is_member = found->second.is_member;
        if (begins) ++known_[name.first].sent;
        for (const NodeId child : children) {
            Message copy = request_to(child, events::castd, packet, content);
            copy.type = cast_packet;
            copy.flags = account;
            co_await calls_.answer(copy);
        }
        if (is_member) co_await deliver(packet, content);
    }

    Task<> deliver(CastPacket packet, std::span<std::byte> content) {
        CastHead head;
        std::memcpy(&head, content.data(), sizeof head);
        if (is_internal(head.event)) co_return calls_.kernel().drop("castd", "a packet for a process that takes none");
        ++known_[packet.cast.id()].received;
        const std::span<std::byte> body = content.subspan(sizeof head);
        Message message{.node = here_,
                        .event = head.event,
                        .type = head.type,
                        .flags = head.flags,
                        .data = head.data,
                        .length = static_cast<std::uint32_t>(body.size()),
                        .body = body};
        co_await calls_.answer(message, packet.tag());
    }

    // The sender's node has no tree for the cast yet: the packet waits until it has.
    Task<> hold(CastPacket packet, std::span<std::byte> content, std::uint32_t account) {
        auto& waiting = held_[packet.cast.id()];
        waiting.push_back({{content.begin(), content.end()}, account, packet.number});
        if (waiting.size() > 1 || trees_.contains({packet.cast.id(), packet.source.id()})) co_return;
        co_await tell(services_.host, {.call = CastCall::Fetch, .cast = packet.cast}, {});
    }

    void discard_held(NodeId cast) {
        const auto held = held_.extract(cast);
        for (std::size_t i = 0; !held.empty() && i < held.mapped().size(); ++i)
            calls_.kernel().drop("castd", "a packet for a cast that does not exist");
    }

    Task<> told(NodeId cast, ErrorNumber error, Nodes nodes) {
        if (error != 0) co_return discard_held(cast);
        known_[cast].nodes = nodes;
        co_await lay({cast, here_}, {}, std::move(nodes), false);
    }

    Task<> list(Caller caller) {
        std::vector<std::byte> body;
        const auto append = [&body](std::span<const std::byte> bytes) { body.insert(body.end(), bytes.begin(), bytes.end()); };
        for (const auto& [cast, its] : known_) {
            const CastLine line{cast, its.sent, its.received, static_cast<std::uint32_t>(its.nodes.size())};
            append(std::as_bytes(std::span(&line, 1)));
            append(std::as_bytes(std::span(its.nodes)));
        }
        co_await reply(caller, {.count = static_cast<std::uint32_t>(known_.size())}, body);
    }

    // ---- Reductions ----

    Task<> contribute(CastRequest request, std::vector<std::int32_t> words) {
        const NodeId cast = request.cast.id();
        const auto known = known_.find(cast);
        const bool has_nodes = known != known_.end() && !known->second.nodes.empty();
        const TreeName name{cast, has_nodes ? known->second.nodes[0].id() : here_};
        const auto tree = trees_.find(name);
        const bool is_member = tree != trees_.end() && tree->second.is_member;
        if (!has_nodes || !is_member) co_return co_await reply(request.caller, {.error = errors::bad_node});
        const ErrorNumber error = is_how_word(request.two) ? 0 : EINVAL;
        rounds_[name].own.push_back({request.caller, {request.two, error, std::move(words)}});
        co_await advance(name);
    }

    Task<> partial(CastRequest request, std::vector<std::int32_t> words) {
        const TreeName name{request.cast.id(), source_of(request)};
        if (!trees_.contains(name)) co_return calls_.kernel().drop("castd", "a contribution for a cast that has no tree here");
        rounds_[name].from_below[request.caller.node.id()] = {request.two, request.error, std::move(words)};
        co_await advance(name);
    }

    // When all have contributed: up the tree, or down from its root. The node's own contribution comes first, then the
    // branches by number.
    Task<> advance(TreeName name) {
        const Tree& tree = trees_.at(name);
        Rounds& rounds = rounds_[name];
        if (rounds.sent || (tree.is_member && rounds.own.empty()) || rounds.from_below.size() < tree.children.size()) co_return;
        std::optional<Contribution> sum;
        if (tree.is_member) sum = rounds.own.front().second;
        for (const auto& [child, its] : rounds.from_below) {
            if (!sum) {
                sum = its;
                continue;
            }
            calls_.charge(SimTime::ps(calls_.kernel().costs().combine_word.in_ps() *
                                      static_cast<std::int64_t>(std::min(sum->words.size(), its.words.size()))));
            fold(*sum, its);
        }
        rounds.sent = true;
        if (!tree.parent) co_return co_await result(name, *sum);
        const CastRequest up{
            .call = CastCall::Partial, .cast = name.first, .one = name.second.value(), .two = sum->how, .error = sum->error};
        co_await tell_bytes(*tree.parent, up, std::as_bytes(std::span(sum->words)));
    }

    Task<> result(TreeName name, Contribution sum) {
        const auto found = trees_.find(name);
        if (found == trees_.end() || !rounds_[name].sent)
            co_return calls_.kernel().drop("castd", "a result that nobody waits for");
        Rounds& rounds = rounds_[name];
        const Tree tree = found->second;
        rounds.sent = false;
        rounds.from_below.clear();
        const CastRequest down{.call = CastCall::Result, .cast = name.first, .one = name.second.value(), .error = sum.error};
        const auto words = std::as_bytes(std::span(sum.words));
        for (const NodeId child : tree.children) co_await tell_bytes(child, down, words);
        if (!tree.is_member) co_return;
        const Caller caller = rounds.own.front().first;
        rounds.own.pop_front();
        co_await reply(caller, {.error = sum.error, .cast = name.first}, words);
        co_await advance(name);  // a contribution to the next round may be here
    }

    struct Held {
        std::vector<std::byte> body;
        std::uint32_t account = 0, number = 0;
    };

    Calls& calls_;
    const NodeServices& services_;
    const NodeId here_;
    const std::vector<std::optional<NodeId>> neighbours_;  // route set 2
    std::vector<std::byte> room_;
    std::map<TreeName, Tree> trees_;
    std::map<NodeId, Known> known_;
    std::map<NodeId, std::vector<Held>> held_;  // packets of this node for casts without a tree yet
    std::map<TreeName, Rounds> rounds_;
    std::map<NodeId, Entry> entries_;  // on the host
    NodeId::value_type next_cast_ = first_cast;
};

}  // namespace

Task<> castd(Calls& calls, const NodeServices& services) {
    Castd daemon(calls, services);
    while (true) co_await daemon.serve();
}

}  // namespace trollius_os::services
