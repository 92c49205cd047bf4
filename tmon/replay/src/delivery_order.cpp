#include <tmon_replay/delivery_order.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tuple>

#include <fmt/format.h>

#include <vocabulary/source_position.hpp>

namespace tmon_replay {
namespace {

bool same_source(const CallOutcome& a, const CallOutcome& b) {
    return a.source == b.source && a.cancelled == b.cancelled;
}

void join_others(CallOutcome& into, const CallOutcome& from) {
    into.others.insert(into.others.end(), from.others.begin(), from.others.end());
    std::sort(into.others.begin(), into.others.end());
    into.others.erase(std::unique(into.others.begin(), into.others.end()), into.others.end());
}

// Receives, sorted by their first numbers, cut where one of them begins or ends. All that cover a piece are joined there.
std::vector<CallOutcome> pieces_of(const std::vector<CallOutcome>& receives) {
    std::vector<CallOutcome> pieces;
    std::vector<std::int64_t> cuts;
    for (const CallOutcome& one : receives) {
        cuts.push_back(one.first);
        cuts.push_back(std::int64_t{one.last} + 1);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<const CallOutcome*> here;
    std::size_t next = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        std::erase_if(here, [&](const CallOutcome* one) { return one->last < cuts[i]; });
        while (next < receives.size() && receives[next].first <= cuts[i]) here.push_back(&receives[next++]);
        if (here.empty()) continue;
        CallOutcome piece = *here.front();
        piece.first = static_cast<std::int32_t>(cuts[i]);
        piece.last = static_cast<std::int32_t>(cuts[i + 1] - 1);
        piece.others.clear();
        for (const CallOutcome* one : here) {
            join_others(piece, *one);
            piece.maybe = piece.maybe && one->maybe;
        }
        CallOutcome* const before = pieces.empty() ? nullptr : &pieces.back();
        if (before != nullptr && before->last + 1 == piece.first && same_source(*before, piece) &&
            before->maybe == piece.maybe && before->others == piece.others) {
            before->last = piece.last;
        } else {
            pieces.push_back(std::move(piece));
        }
    }
    return pieces;
}

}  // namespace

std::vector<CallOutcome> in_order(std::vector<CallOutcome> outcomes, bool maybe) {
    if (!maybe) std::erase_if(outcomes, [](const CallOutcome& one) { return one.maybe; });
    const auto key = [](const CallOutcome& one) { return std::tuple(one.kind, one.first, one.source, one.last); };
    std::sort(outcomes.begin(), outcomes.end(), [&](const CallOutcome& a, const CallOutcome& b) { return key(a) < key(b); });
    const auto others =
        std::find_if(outcomes.begin(), outcomes.end(), [](const CallOutcome& one) { return one.kind != CallKind::Receive; });
    std::vector<CallOutcome> result = pieces_of({outcomes.begin(), others});
    std::unique_copy(others, outcomes.end(), std::back_inserter(result),
                     [&](const CallOutcome& a, const CallOutcome& b) { return key(a) == key(b); });
    return result;
}

bool is_of_real_mpi(const RunIdentity& run) {
    return run.machine == "openmpi" || run.machine == "mpich";
}

std::uint64_t hash_of_file(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) throw vocabulary::InputError({path, 0, 0}, std::string("it cannot be read: ") + std::strerror(errno));
    std::uint64_t hash = 0xcbf29ce484222325;
    std::array<unsigned char, 65536> room{};
    for (std::size_t got = 0; (got = std::fread(room.data(), 1, room.size(), file.get())) > 0;) {
        for (std::size_t i = 0; i < got; ++i) hash = (hash ^ room[i]) * 0x100000001b3;
    }
    return hash;
}

std::string difference(const RunIdentity& recorded, const RunIdentity& now) {
    if (recorded.program_hash != now.program_hash)
        return fmt::format("it was recorded of another program: the hash of '{}' was {:016x}, and that of '{}' is {:016x}",
                           recorded.program, recorded.program_hash, now.program, now.program_hash);
    if (recorded.ranks != now.ranks)
        return fmt::format("it was recorded with {} ranks, and this run has {}", recorded.ranks, now.ranks);
    for (std::size_t i = 0; i < std::max(recorded.arguments.size(), now.arguments.size()); ++i) {
        if (i >= now.arguments.size())
            return fmt::format("it was recorded with {} arguments, and this run has {}: '{}' is missing",
                               recorded.arguments.size(), now.arguments.size(), recorded.arguments[i]);
        if (i >= recorded.arguments.size())
            return fmt::format("it was recorded with {} arguments, and this run has {}: '{}' is new", recorded.arguments.size(),
                               now.arguments.size(), now.arguments[i]);
        if (recorded.arguments[i] != now.arguments[i])
            return fmt::format("it was recorded with '{}' as argument {}, and this run has '{}'", recorded.arguments[i], i + 1,
                               now.arguments[i]);
    }
    return {};
}

}  // namespace tmon_replay
