#include "race_runs.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace lam_races {
namespace {

constexpr std::size_t most_operations = 64;

class Run {
public:
    Run(lam_fibers::Machine& machine, const Program& program) : machine_(machine), program_(program), ranks_(program.size()) {}

    Outcome run(int wishes, std::uint32_t schedule, const std::vector<Choice>& choices) {
        lam_fibers::Deliveries deliveries{.wishes = wishes, .events = {}, .head = {}, .told = {}, .noted = {}};
        deliveries.head.receives = -1;
        deliveries.events.resize(static_cast<std::size_t>(machine_.size()));
        for (const Choice& its : choices)
            deliveries.events.at(static_cast<std::size_t>(its.rank))
                .push_back({LAM_EVENT_RECV, its.receive, its.receive, its.source, LAM_NO_OTHER});
        for (auto& events : deliveries.events)
            std::sort(events.begin(), events.end(), [](const lam_event& a, const lam_event& b) { return a.first < b.first; });
        deliveries.told = [this](int rank, const lam_record_head&, const lam_event* events, int count) {
            note(rank, events, count);
        };
        deliveries.noted = [&](int what, lam_question& its) {
            if (what == LAM_NOTE_MATCHED) outcome_.matches[{its.rank, its.receive}] = its.source;
            for (const Choice& one : choices)
                if (what == LAM_NOTE_RECEIVE && one.rank == its.rank && one.receive == its.receive) its.source = one.source;
        };
        machine_.reset(std::move(deliveries));
        for (int rank = 0; rank < size(); ++rank) machine_.begin(rank, [this, rank] { work(rank); });
        schedule_all(schedule);
        for (int rank = 0; rank < size(); ++rank) {
            if (!machine_.is_busy(rank)) continue;
            outcome_.stands = true;
            if ((wishes & LAM_STAMPS) != 0) note(rank, machine_.record(rank).events, machine_.record(rank).count);
        }
        std::sort(outcome_.races.begin(), outcome_.races.end());
        outcome_.races.erase(std::unique(outcome_.races.begin(), outcome_.races.end()), outcome_.races.end());
        std::sort(outcome_.recorded.begin(), outcome_.recorded.end());
        outcome_.recorded.erase(std::unique(outcome_.recorded.begin(), outcome_.recorded.end()), outcome_.recorded.end());
        return std::move(outcome_);
    }

private:
    struct Rank {
        std::array<MPI_Request, most_operations> requests{};
        std::array<int, most_operations> values{}, numbers{};
        std::array<MPI_Status, most_operations> probed{};
        int receives = 0;
    };
    int size() const { return static_cast<int>(program_.size()); }

    // Each draw moves one packet, if one is there, or lets one rank go on, if it can.
    void schedule_all(std::uint32_t seed) {
        std::minstd_rand random(seed * 2654435761U + 1);
        for (int idle = 0; idle < 300 || !machine_.is_idle(); ++idle) {
            const auto dice = static_cast<int>(random() >> 4);
            const int from = dice % size(), to = dice / 8 % size();
            if (dice / 64 % 4 != 0) {
                if (machine_.release_one(from, to)) idle = 0;
            } else if (machine_.is_busy(to) && machine_.has_packets(to)) {
                machine_.resume(to);
                idle = 0;
            }
        }
    }
    void note(int rank, const lam_event* events, int count) {
        for (const lam_event* its = events; its != events + count; ++its) {
            if (its->kind != LAM_EVENT_RECV || its->source < 0 || its->other == LAM_MAYBE) continue;
            for (int number = its->first; number <= its->last; ++number) {
                if (its->other < 0) continue;
                outcome_.races.push_back({rank, number, its->other});
                outcome_.recorded.push_back({rank, number, its->source});
            }
        }
    }

    void work(int rank) {
        lam_fibers::Api& api = machine_.api(rank);
        Rank& own = ranks_[static_cast<std::size_t>(rank)];
        own = Rank{};
        own.requests.fill(MPI_REQUEST_NULL);
        api.Init(nullptr, nullptr);
        const auto& operations = program_[static_cast<std::size_t>(rank)];
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const Operation& its = operations[i];
            const auto came = outcome_.order.find({rank, its.when});
            if (its.when >= 0 && (came == outcome_.order.end() || came->second != its.from)) continue;
            if (its.counts()) own.numbers[i] = ++own.receives;
            its.is_send() ? send(api, own, its, i) : receive(api, own, its, i, rank);
        }
        api.Finalize();
    }
    static void send(lam_fibers::Api& api, Rank& own, const Operation& its, std::size_t i) {
        switch (its.kind) {
            case Kind::Ssend:
                api.Ssend(&own.values[i], 1, MPI_INT, its.peer, its.tag, MPI_COMM_WORLD);
                break;
            case Kind::Isend:
                api.Isend(&own.values[i], 1, MPI_INT, its.peer, its.tag, MPI_COMM_WORLD, &own.requests[i]);
                break;
            case Kind::Issend:
                api.Issend(&own.values[i], 1, MPI_INT, its.peer, its.tag, MPI_COMM_WORLD, &own.requests[i]);
                break;
            default:
                api.Send(&own.values[i], 1, MPI_INT, its.peer, its.tag, MPI_COMM_WORLD);
        }
    }
    void receive(lam_fibers::Api& api, Rank& own, const Operation& its, std::size_t i, int rank) {
        MPI_Status status;
        const int from = its.peer == any ? MPI_ANY_SOURCE : its.peer, tag = its.tag == any ? MPI_ANY_TAG : its.tag;
        const auto of = static_cast<std::size_t>(its.of);
        switch (its.kind) {
            case Kind::Recv:
                api.Recv(&own.values[i], 1, MPI_INT, from, tag, MPI_COMM_WORLD, &status);
                return came(rank, own, i, its, status);
            case Kind::Irecv:
                api.Irecv(&own.values[i], 1, MPI_INT, from, tag, MPI_COMM_WORLD, &own.requests[i]);
                return;
            case Kind::Probe:
                api.Probe(from, tag, MPI_COMM_WORLD, &own.probed[i]);
                return came(rank, own, i, its, own.probed[i]);
            case Kind::RecvProbed:
                api.Recv(&own.values[i], 1, MPI_INT, own.probed[of].MPI_SOURCE, own.probed[of].MPI_TAG, MPI_COMM_WORLD,
                         &status);
                return;
            case Kind::Wait:
                if (own.requests[of] == MPI_REQUEST_NULL) return;
                api.Wait(&own.requests[of], &status);
                return came(rank, own, of, program_[static_cast<std::size_t>(rank)][of], status);
            default:
                api.Barrier(MPI_COMM_WORLD);
        }
    }
    void came(int rank, const Rank& own, std::size_t i, const Operation& its, const MPI_Status& status) {
        if (its.is_wild()) outcome_.order[{rank, own.numbers[i]}] = status.MPI_SOURCE;
    }

    lam_fibers::Machine& machine_;
    const Program& program_;
    std::vector<Rank> ranks_;
    Outcome outcome_;
};

}  // namespace

Outcome run(lam_fibers::Machine& machine, const Program& program, int wishes, std::uint32_t schedule,
            const std::vector<Choice>& choices) {
    return Run(machine, program).run(wishes, schedule, choices);
}

}  // namespace lam_races
