#include <mpi_runs/polls.hpp>

#include <array>

#include <fmt/format.h>

namespace mpi_runs {

using tmon_replay::CallKind;
using tmon_replay::CallOutcome;

std::vector<Poll> polls_of(const std::vector<tmon_replay::RankOrder>& ranks) {
    std::vector<Poll> polls;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const tmon_replay::Counters& calls = ranks[rank].ended ? *ranks[rank].ended : ranks[rank].known;
        std::array<std::int32_t, tmon_replay::call_kinds> found{}, last{};
        for (const CallOutcome& its : tmon_replay::in_order(ranks[rank].outcomes, false)) {
            const auto kind = static_cast<std::size_t>(its.kind);
            if (its.kind == CallKind::Receive || its.first == last[kind]) continue;  // several indices of one call
            last[kind] = its.first;
            ++found[kind];
        }
        for (std::size_t kind = 1; kind < tmon_replay::call_kinds; ++kind) {
            Poll poll{.rank = rank, .kind = static_cast<CallKind>(kind), .found = found[kind], .calls = calls[kind]};
            const bool chooses = poll.kind == CallKind::Waitany || poll.kind == CallKind::Waitsome;
            poll.likely = found[kind] > 0 && (chooses || found[kind] < calls[kind]);
            if (chooses ? found[kind] > 0 : calls[kind] > 0) polls.push_back(poll);
        }
    }
    return polls;
}

const char* function_of(CallKind kind) {
    constexpr std::array<const char*, tmon_replay::call_kinds> names{"MPI_Recv()",     "MPI_Iprobe()",   "MPI_Test()",
                                                                     "MPI_Testany()",  "MPI_Testsome()", "MPI_Waitany()",
                                                                     "MPI_Waitsome()", "MPI_Cancel()"};
    return names[static_cast<std::size_t>(kind)];
}

std::string text_of(const Poll& poll) {
    const char* const function = function_of(poll.kind);
    const char* const verdict = poll.likely ? "likely" : "unknown whether";
    if (poll.kind == CallKind::Waitany || poll.kind == CallKind::Waitsome)
        return fmt::format("rank {}: {} of {} calls of {} chose among several requests; {} others could have come first",
                           poll.rank, poll.found, poll.calls, function, verdict);
    return fmt::format("rank {}: {} of {} calls of {} succeeded; {} others could have", poll.rank, poll.found, poll.calls,
                       function, verdict);
}

}  // namespace mpi_runs
