#include "domains.hpp"

#include <algorithm>
#include <utility>

namespace tmon_models {

namespace {

struct Range {
    std::uint64_t least = 0, most = 0;  // blocks
};

// Narrows the ranges until no neighbour narrows another any more.
class Narrowing {
public:
    Narrowing(const Program& program, const Neighbours& neighbours, const std::vector<NodeReading>& readings)
        : program_(program), neighbours_(neighbours), ranges_(readings.size()), recorded_(readings.size()) {
        for (const std::uint16_t node : program.tree().from_the_top()) {
            ranges_[node] = {readings[node].least_block(), readings[node].most_block()};
            recorded_[node] = readings[node].recorded();
        }
    }

    std::vector<Range> run() {
        while (pass()) {
        }
        return ranges_;
    }

private:
    bool pass() {
        bool changed = false;
        for (const std::uint16_t node : program_.tree().from_the_top()) {
            const auto parent = program_.tree().parent(node);
            if (!parent) continue;
            changed = narrow(node, *parent) || changed;
            changed = narrow(*parent, node) || changed;
        }
        return changed;
    }

    NodeState least_state(std::uint16_t node) const { return std::max(recorded_[node], NodeState{ranges_[node].least, 0}); }

    // By what `receiver` has received from `sender`, and by what that one can have sent.
    bool narrow(std::uint16_t receiver, std::uint16_t sender) {
        bool changed = false;
        for (std::size_t message = 0; message < program_.model().messages.size(); ++message) {
            const Move receive{false, sender, message}, send{true, receiver, message};
            changed = raise(receiver, receive, sender, send) || changed;
            changed = lower(receiver, receive, sender, send) || changed;
            if (!program_.model().messages[message].synchronous) continue;
            changed = raise(sender, send, receiver, receive) || changed;
            changed = lower(sender, send, receiver, receive) || changed;
        }
        return changed;
    }

    // A move that `later` has done shows that `earlier` had come to its part.
    bool raise(std::uint16_t later, const Move& move, std::uint16_t earlier, const Move& other) {
        const auto last = neighbours_.latest({later, least_state(later)}, move);
        const auto spot = last ? program_.find(earlier, *last, other) : std::nullopt;
        if (!spot || spot->block <= ranges_[earlier].least) return false;
        ranges_[earlier].least = spot->block;
        return true;
    }

    // `later` cannot have passed a move whose other end `earlier` cannot have come to.
    bool lower(std::uint16_t later, const Move& move, std::uint16_t earlier, const Move& other) {
        const std::uint64_t most = ranges_[earlier].most;
        if (most == program_.blocks(earlier)) return false;
        const std::uint32_t unit = program_.unit_of(earlier, most);
        for (std::uint32_t at = unit; at < program_.units() && at - unit <= 2; ++at) {
            const auto theirs = program_.find(earlier, at, other);
            const auto own = program_.find(later, at, move);
            if (!theirs || !own || theirs->block <= most) continue;
            if (own->block >= ranges_[later].most) return false;
            ranges_[later].most = own->block;
            return true;
        }
        return false;
    }

    const Program& program_;
    const Neighbours& neighbours_;
    std::vector<Range> ranges_;
    std::vector<NodeState> recorded_;
};

}  // namespace

std::optional<std::vector<std::vector<NodeState>>> domains_of(const Program& program, const Neighbours& neighbours,
                                                              const std::vector<NodeReading>& readings, std::size_t most) {
    const std::vector<Range> ranges = Narrowing(program, neighbours, readings).run();
    std::vector<std::vector<NodeState>> domains(readings.size());
    std::size_t states = 0;
    most += program.tree().from_the_top().size();
    for (const std::uint16_t node : program.tree().from_the_top()) {
        const std::uint64_t end = program.blocks(node);
        for (std::uint64_t block = ranges[node].least; block <= ranges[node].most; ++block) {
            const std::uint32_t full = block == end ? 1 : 1U << program.block(node, block).moves.size();
            for (std::uint32_t mask = 0; mask + 1 < full || mask == 0; ++mask) {
                if (++states > most) return std::nullopt;
                if (readings[node].allows({block, mask})) domains[node].push_back({block, mask});
                if (full == 1) break;
            }
        }
    }
    return domains;
}

}  // namespace tmon_models
