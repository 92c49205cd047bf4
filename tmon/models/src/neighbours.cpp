#include "neighbours.hpp"

namespace tmon_models {

std::optional<std::uint32_t> Neighbours::latest(const At& at, const Move& move) const {
    if (program_.units() == 0) return std::nullopt;
    const bool ended = program_.done(at.node, at.state);
    const std::uint32_t unit = ended ? program_.units() - 1 : program_.unit_of(at.node, at.state.block);
    // The first and the last unit may have other moves than those between.
    for (std::uint32_t back = 0; back <= 3; ++back) {
        const std::uint32_t wanted = back == 3 || back > unit ? 0 : unit - back;
        const auto spot = program_.find(at.node, wanted, move);
        if (spot && program_.has_done(at.state, *spot)) return wanted;
    }
    return std::nullopt;
}

// True when this end of the message is done, or may be under way without being done.
bool Neighbours::has_begun(const At& at, std::uint32_t unit, const Move& move) const {
    const auto spot = program_.find(at.node, unit, move);
    if (!spot) return false;
    return program_.has_done(at.state, *spot) || (is_open_[at.node] && at.state.block == spot->block);
}

bool Neighbours::heard(const At& receiver, const At& sender) const {
    for (std::size_t message = 0; message < program_.model().messages.size(); ++message) {
        const Move receive{false, sender.node, message}, send{true, receiver.node, message};
        const auto last = latest(receiver, receive);
        if (last && !has_begun(sender, *last, send)) return false;
        if (!program_.model().messages[message].synchronous) continue;
        const auto sent = latest(sender, send);
        if (sent && !has_begun(receiver, *sent, receive)) return false;
    }
    return true;
}

Neighbours::Tie Neighbours::tie(const At& node, const At& neighbour) const {
    Tie tie;
    if (program_.done(node.node, node.state)) return tie;
    const Block& block = program_.block(node.node, node.state.block);
    const std::uint32_t unit = program_.unit_of(node.node, node.state.block);
    for (std::size_t i = 0; i < block.moves.size(); ++i) {
        const Move& move = block.moves[i];
        if ((node.state.mask >> i & 1U) != 0 || move.peer != neighbour.node) continue;
        const bool synchronous = program_.model().messages[move.message].synchronous;
        const auto spot = program_.find(neighbour.node, unit, {!move.send, node.node, move.message});
        const bool other_done = spot && program_.has_done(neighbour.state, *spot);
        tie.began = tie.began || (other_done && (move.send || synchronous));
        if (move.send && !synchronous) continue;
        const bool both_there = synchronous && spot && neighbour.state.block == spot->block && !other_done;
        tie.one_may_be_dead = tie.one_may_be_dead || (both_there && is_open_[move.send ? neighbour.node : node.node]);
        // A receive waits until the send is done; a synchronous send until the receiver has come to its receive.
        tie.waits = tie.waits || !(move.send ? spot && neighbour.state.block >= spot->block : other_done);
    }
    return tie;
}

}  // namespace tmon_models
