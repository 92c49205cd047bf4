#include <lam_mpi/job.hpp>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include <lam_mpi/lam_start.h>
#include <trollius_os/api.hpp>
#include <trollius_os/services.hpp>
#include <vocabulary/errors.hpp>

#include "../support/lam_port.h"

namespace lam_mpi {

using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Process;
using vocabulary::NodeId;

static_assert(int{LAM_PRICE_STAMP} == int{LAM_PRICES_SENT});
static_assert(int{LAM_PRICES} == LAM_PRICES_SENT + LAM_STAMP_PRICES_SENT &&
              std::tuple_size_v<decltype(Prices::thousandths)> == LAM_PRICES);

struct Job::State : std::enable_shared_from_this<Job::State> {
    State(trollius_os::Kernel& kernel, Plan what) : host(kernel), plan(std::move(what)), ranks(plan.places.size()) {}

    trollius_os::Kernel& host;
    const Plan plan;
    std::vector<RankEnd> ranks;
    bool started = false, over = false;
    std::optional<Abort> aborted;
    std::optional<Divergence> diverged;
    std::string failure;
    Process *runner = nullptr, *listener = nullptr;

    Process* create(const char* name, void (State::*code)(Api&)) {
        Process* const made =
            host.create({name, trollius_os::Priority::Low, trollius_os::kernel_priority::command, host.costs().service_stack,
                         [self = shared_from_this(), code](Api& api) { (self.get()->*code)(api); }});
        if (made == nullptr) throw vocabulary::RequestError(std::string("the host has no room for the process '") + name + "'");
        return made;
    }

    static std::int32_t event_of(vocabulary::ProcessId pid) { return LAM_FIRST_EVENT + static_cast<std::int32_t>(pid.value()); }

    void hear_of_aborts(Api& api) {
        std::vector<std::byte> room(LAM_PACKET_BODY);
        Message message;
        do {
            message = {.event = EventNo(event_of(api.pid())), .type = LAM_ABORT_TYPE};
            if (plan.deliveries.wishes != 0) {
                message.type |= LAM_RECORD_TYPE;
                message.body = room;
            }
            if (api.nrecv(message) != trollius_os::Outcome::Done) return;
        } while (message.type == LAM_RECORD_TYPE && hear_of_deliveries(api, message));
        if (message.type == LAM_RECORD_TYPE) return;
        const auto rank = static_cast<std::size_t>(message.data.at(1));
        aborted = Abort{.rank = rank, .code = message.data.at(0)};
        over = true;
        listener = nullptr;
    }

    // False: the run is over.
    bool hear_of_deliveries(Api& api, const Message& message) {
        const auto rank = static_cast<std::size_t>(message.data.at(1));
        if (message.data.at(0) == LAM_TOLD_DIVERGED) {
            diverged = Divergence{rank, message.data.at(2), message.data.at(3), message.data.at(4), message.data.at(5)};
            over = true;
            listener = nullptr;
            return false;
        }
        Told told{.what = static_cast<lam_told>(message.data.at(0)), .rank = rank};
        const std::size_t bytes = std::min<std::size_t>(message.length, message.body.size());
        if (rank >= ranks.size()) return true;
        if (told.what == LAM_TOLD_CLOCK) {
            told.clock.resize(bytes / sizeof told.clock.front());
            std::memcpy(told.clock.data(), message.body.data(), told.clock.size() * sizeof told.clock.front());
            if (plan.deliveries.told) plan.deliveries.told(told);
            return true;
        }
        if (bytes < sizeof told.head) return true;
        told.events.resize((bytes - sizeof told.head) / sizeof(lam_event));
        std::memcpy(&told.head, message.body.data(), sizeof told.head);
        if (!told.events.empty())
            std::memcpy(told.events.data(), message.body.data() + sizeof told.head, told.events.size() * sizeof(lam_event));
        if (plan.deliveries.told) plan.deliveries.told(told);
        if (told.what == LAM_TOLD_END) {
            Message answer{.node = plan.places[rank], .event = EventNo(event_of(ranks[rank].pid)), .type = LAM_SCRIPT_TYPE};
            api.nsend(answer);
            api.settle();
        }
        return true;
    }

    void run(Api& api) {
        runner = &api.process();
        if (load(api)) {
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                tell(api, rank);
                if ((plan.deliveries.wishes & LAM_SCRIPT) != 0) tell_script(api, rank, plan.deliveries.scripts.at(rank));
            }
            started = true;
            for (std::size_t waits_for = ranks.size(); waits_for > 0; --waits_for) wait_for_one(api);
        }
        over = true;
        runner = nullptr;
    }

    bool load(Api& api) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            const auto made = trollius_os::loadgo(api, plan.places[rank], api.node(), plan.program, plan.arguments,
                                                  trollius_os::services::rtf_wait);
            api.settle();
            if (!made) {
                failure = "rank " + std::to_string(rank) + " cannot be loaded on n" +
                          std::to_string(plan.places[rank].value()) + ": " + why(made.error);
                return false;
            }
            ranks[rank].loaded = true;
            ranks[rank].pid = made.pid;
        }
        return true;
    }

    static const char* why(trollius_os::CreateError error) {
        if (error == trollius_os::CreateError::NoMemory) return "the node has too little memory for it";
        if (error == trollius_os::CreateError::TableFull) return "the node's process table is full";
        return "its module did not arrive";
    }

    void tell(Api& api, std::size_t rank) {
        lam_start_header header{};
        lam_stamp_prices stamps{};
        const bool stamped = (plan.deliveries.wishes & LAM_STAMPS) != 0;
        const std::size_t head = sizeof header + (stamped ? sizeof stamps : 0);
        const std::size_t most = (LAM_PACKET_BODY - head) / sizeof(lam_start_place);
        header.rank = static_cast<std::int32_t>(rank);
        header.size = static_cast<std::int32_t>(ranks.size());
        header.short_bytes = plan.prices.short_bytes | plan.deliveries.wishes;
        header.host_event = event_of(listener->pid());
        header.options = plan.options;
        const auto first_of_stamps = plan.prices.thousandths.begin() + LAM_PRICES_SENT;
        std::copy(plan.prices.thousandths.begin(), first_of_stamps, std::begin(header.thousandths));
        std::copy(first_of_stamps, plan.prices.thousandths.end(), std::begin(stamps.thousandths));
        for (std::size_t first = 0; first < ranks.size(); first += most) {
            const std::size_t count = std::min(most, ranks.size() - first);
            header.first = static_cast<std::int32_t>(first);
            header.count = static_cast<std::int32_t>(count);
            std::vector<std::byte> body(head + count * sizeof(lam_start_place));
            std::memcpy(body.data(), &header, sizeof header);
            if (stamped) std::memcpy(body.data() + sizeof header, &stamps, sizeof stamps);
            for (std::size_t i = 0; i < count; ++i) {
                const lam_start_place place{plan.places[first + i].value(), event_of(ranks[first + i].pid)};
                std::memcpy(body.data() + head + i * sizeof place, &place, sizeof place);
            }
            Message message{.node = plan.places[rank], .event = EventNo(event_of(ranks[rank].pid)), .type = LAM_START_TYPE};
            message.body = body;
            message.length = static_cast<std::uint32_t>(body.size());
            api.nsend(message);
            api.settle();
        }
    }

    void tell_script(Api& api, std::size_t rank, const Script& script) {
        std::size_t next = 0;
        do {
            const std::size_t head = next == 0 ? sizeof script.head : 0;
            const std::size_t count = std::min((LAM_PACKET_BODY - head) / sizeof(lam_event), script.events.size() - next);
            std::vector<std::byte> body(head + count * sizeof(lam_event));
            std::memcpy(body.data(), &script.head, head);
            if (count > 0) std::memcpy(body.data() + head, &script.events[next], count * sizeof(lam_event));
            Message message{.node = plan.places[rank], .event = EventNo(event_of(ranks[rank].pid)), .type = LAM_SCRIPT_TYPE};
            message.data.at(0) = static_cast<std::int32_t>(script.events.size());
            message.data.at(1) = static_cast<std::int32_t>(next);
            message.body = body;
            message.length = static_cast<std::uint32_t>(body.size());
            api.nsend(message);
            api.settle();
            next += count;
        } while (next < script.events.size());
    }

    void wait_for_one(Api& api) {
        const trollius_os::ChildEnd end = trollius_os::wait_for_child(api);
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            if (ranks[rank].ended || ranks[rank].pid != end.pid || plan.places[rank] != end.node) continue;
            ranks[rank].ended = true;
            ranks[rank].status = end.status;
            return;
        }
    }
};

Job::Job(trollius_os::Kernel& host, Plan plan) : state_(std::make_shared<State>(host, std::move(plan))) {
    state_->listener = state_->create("mpirun-abort", &State::hear_of_aborts);
    state_->create("mpirun", &State::run);
}

Job::~Job() {
    for (Process* process : {std::exchange(state_->runner, nullptr), std::exchange(state_->listener, nullptr)})
        if (process != nullptr) state_->host.doom(*process);
}

bool Job::started() const {
    return state_->started;
}
bool Job::over() const {
    return state_->over;
}
const std::vector<RankEnd>& Job::ranks() const {
    return state_->ranks;
}
std::optional<Abort> Job::aborted() const {
    return state_->aborted;
}
std::optional<Divergence> Job::diverged() const {
    return state_->diverged;
}
const std::string& Job::failure() const {
    return state_->failure;
}

}  // namespace lam_mpi
