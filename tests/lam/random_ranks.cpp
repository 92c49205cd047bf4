#include "random_ranks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace lam_random {
namespace {

constexpr int untouched = -77;

int word(std::int64_t id, int at) {
    return static_cast<int>((id * 7919 + at) & 0x7fffffff);
}

}  // namespace

Ranks::Ranks(const std::string& library, int count, int its_short_bytes, unsigned seed)
    : machine(library, count, its_short_bytes),
      matcher(count),
      ranks(static_cast<std::size_t>(count)),
      short_bytes(its_short_bytes),
      random_(seed) {
    machine.all([this](int rank) {
        lam_fibers::Api& api = machine.api(rank);
        Rank& own = ranks[static_cast<std::size_t>(rank)];
        api.Init(nullptr, nullptr);
        api.Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        own.comms[0] = MPI_COMM_WORLD;
        api.Comm_dup(MPI_COMM_WORLD, &own.comms[1]);
        api.Comm_split(MPI_COMM_WORLD, 0, -rank, &own.comms[2]);
        const int half = size() / 2, side = rank < half ? 0 : 1;
        MPI_Comm mine = MPI_COMM_NULL;
        api.Comm_split(MPI_COMM_WORLD, side, rank, &mine);
        api.Intercomm_create(mine, 0, MPI_COMM_WORLD, side == 0 ? half : 0, 1, &own.comms[3]);
        MPI_Datatype one = MPI_DATATYPE_NULL;
        api.Type_vector(1, 1, 2, MPI_INT, &one);
        api.Type_create_resized(one, 0, 2 * sizeof(int), &own.gapped);
        api.Type_commit(&own.gapped);
        own.attached.resize(1 << 24);
        api.Buffer_attach(own.attached.data(), static_cast<int>(own.attached.size()));
    });
}

void Ranks::expect(bool holds, const char* what, std::int64_t id) {
    if (holds) return;
    std::fprintf(stderr, "operation %lld: %s (number %lld)\n", static_cast<long long>(operations), what,
                 static_cast<long long>(id));
    std::exit(1);
}

int Ranks::name_in(int comm, int rank) const {
    const int half = size() / 2;
    if (comm == 2) return size() - 1 - rank;
    if (comm == 3) return rank < half ? rank : rank - half;
    return rank;
}
bool Ranks::can_talk(int comm, int a, int b) const {
    return comm != 3 || (a < size() / 2) != (b < size() / 2);
}

std::unique_ptr<Slot> Ranks::new_send(int source, int destination, int comm, int tag, int words, Mode mode) {
    auto slot = std::make_unique<Slot>();
    slot->mode = mode;
    slot->message = Message{0, source, destination, comm, tag, words * static_cast<int>(sizeof(int))};
    slot->words = words;
    slot->gaps = chance(3) == 0;
    return slot;
}
std::unique_ptr<Slot> Ranks::new_receive(int rank, int source, int comm, int tag, int words) {
    auto slot = std::make_unique<Slot>();
    slot->receives = true;
    slot->receive = Receive{0, rank, source, comm, tag};
    slot->message.bytes = words * static_cast<int>(sizeof(int));
    slot->words = words;
    slot->gaps = chance(3) == 0;
    return slot;
}

void Ranks::fill(Slot& slot) {
    slot.data.assign(static_cast<std::size_t>(slot.gaps ? 2 * slot.words : slot.words) + 1, untouched);
    if (slot.receives) return;
    for (int i = 0; i < slot.words; ++i) slot.data[static_cast<std::size_t>(slot.gaps ? 2 * i : i)] = word(slot.message.id, i);
}

void Ranks::begin(Slot& slot) {
    const std::int64_t id = ++last_id_;
    ++operations;
    slot.active = true;
    slot.must_be_cancelled = slot.may_be_cancelled = false;
    slot.message.id = slot.receive.id = id;
    fill(slot);
    if (slot.nobody) return;
    if (slot.receives) {
        matcher.post(slot.receive);
    } else {
        matcher.send(slot.message);
    }
}

MPI_Datatype Ranks::type(int rank, const Slot& slot) const {
    return slot.gaps ? ranks[static_cast<std::size_t>(rank)].gapped : MPI_INT;
}
int Ranks::peer(const Slot& slot) const {
    if (slot.nobody) return MPI_PROC_NULL;
    if (!slot.receives) return name_in(slot.message.communicator, slot.message.destination);
    return slot.receive.source == lam_reference::any ? MPI_ANY_SOURCE : name_in(slot.receive.communicator, slot.receive.source);
}

void Ranks::check_status(int rank, const Message& message, int bytes, const MPI_Status& status) {
    expect(status.MPI_SOURCE == name_in(message.communicator, message.source), "source of a status", message.id);
    expect(status.MPI_TAG == message.tag, "tag of a status", message.id);
    int count = 0;
    machine.api(rank).Get_count(&status, MPI_INT, &count);
    expect(count * static_cast<int>(sizeof(int)) == bytes, "count of a status", message.id);
    int cancelled = 0;
    machine.api(rank).Test_cancelled(&status, &cancelled);
    expect(cancelled == 0, "a message counts as cancelled", message.id);
}

void Ranks::check_data(const Slot& slot, const Message& message) {
    const int came = std::min(message.bytes, slot.message.bytes) / static_cast<int>(sizeof(int));
    for (int i = 0; i < slot.words; ++i)
        expect(slot.data[static_cast<std::size_t>(slot.gaps ? 2 * i : i)] == (i < came ? word(message.id, i) : untouched),
               "data of a message", message.id);
    for (int i = 0; slot.gaps && i < slot.words; ++i)
        expect(slot.data[static_cast<std::size_t>(2 * i + 1)] == untouched, "a gap was written", message.id);
    expect(slot.data.back() == untouched, "written behind the buffer", message.id);
}

void Ranks::check_end(int rank, Slot& slot, const MPI_Status& status, int error) {
    slot.active = false;
    if (slot.must_be_cancelled || slot.may_be_cancelled) {
        int cancelled = 0;
        machine.api(rank).Test_cancelled(&status, &cancelled);
        expect(cancelled != 0 || slot.may_be_cancelled, "a cancelled request counts as complete", slot.message.id);
        if (cancelled != 0) return;
    }
    if (slot.nobody) {
        expect(error == MPI_SUCCESS, "error of an operation with MPI_PROC_NULL");
        expect(!slot.receives || (status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG),
               "status of MPI_PROC_NULL");
        return;
    }
    if (!slot.receives) {
        expect(error == MPI_SUCCESS, "error of a send", slot.message.id);
        const bool alone = slot.mode == Mode::buffered || (slot.mode != Mode::synchronous && is_short(slot));
        expect(alone || matcher.is_received(slot.message.id), "a send is complete without its receive", slot.message.id);
        return;
    }
    const std::optional<Message> got = matcher.match(slot.receive.id);
    expect(got.has_value(), "a receive is complete that has no message", slot.receive.id);
    expect(error == (got->bytes > slot.message.bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "error of a receive", got->id);
    check_status(rank, *got, std::min(got->bytes, slot.message.bytes), status);
    check_data(slot, *got);
    matcher.forget(slot.receive.id);
}

void Ranks::poke(int rank) {
    int flag = 1;
    machine.api(rank).Iprobe(MPI_ANY_SOURCE, unused_tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    expect(flag == 0, "a message with a tag that nobody sends");
}

bool Ranks::is_done(const Slot& slot) const {
    if (!slot.active || slot.nobody || slot.must_be_cancelled || slot.may_be_cancelled) return true;
    if (slot.receives) return matcher.match(slot.receive.id).has_value();
    return slot.mode == Mode::buffered || (slot.mode != Mode::synchronous && is_short(slot)) ||
           matcher.is_received(slot.message.id);
}

bool Ranks::can_be_helped(int rank, const Slot& slot) const {
    if (is_done(slot)) return true;
    if (!slot.receives) return slot.message.destination < rank;
    if (slot.receive.source != lam_reference::any) return slot.receive.source < rank;
    return rank > 0 && can_talk(slot.receive.communicator, 0, rank);
}

void Ranks::release(int source, int destination) {
    machine.release(source, destination);
    if (source != destination) matcher.arrive(source, destination);
}
void Ranks::release_all() {
    for (int i = 0; i < size(); ++i)
        for (int k = 0; k < size(); ++k) release(i, k);
}

}  // namespace lam_random
