#include "random_calls.hpp"

#include <algorithm>

namespace lam_random {

void Calls::call_begin(int rank, Slot& slot) {
    const MPI_Datatype type = all_.type(rank, slot);
    const MPI_Comm c = comm(rank, slot.receives ? slot.receive.communicator : slot.message.communicator);
    auto* const begins = slot.receives                    ? nullptr
                         : slot.mode == Mode::standard    ? api(rank).Isend
                         : slot.mode == Mode::synchronous ? api(rank).Issend
                         : slot.mode == Mode::ready       ? api(rank).Irsend
                                                          : api(rank).Ibsend;
    const int error = slot.receives
                          ? api(rank).Irecv(slot.data.data(), slot.words, type, all_.peer(slot), tag_of(slot), c, &slot.handle)
                          : begins(slot.data.data(), slot.words, type, all_.peer(slot), tag_of(slot), c, &slot.handle);
    all_.expect(error == MPI_SUCCESS, "error of a non-blocking call", slot.message.id);
}

void Calls::begin_one(int rank, std::unique_ptr<Slot> slot) {
    if (!slot->receives && slot->message.destination == rank) all_.poke(rank);
    at(rank).slots.push_back(std::move(slot));
    Slot& its = *at(rank).slots.back();
    all_.begin(its);
    call_begin(rank, its);
}

void Calls::init_persistent(int rank, std::unique_ptr<Slot> slot) {
    Slot& its = *slot;
    its.persistent = true;
    all_.fill(its);
    its.data.reserve(2 * most_words + 1);
    const MPI_Comm c = comm(rank, its.receives ? its.receive.communicator : its.message.communicator);
    auto* const inits = its.mode == Mode::synchronous ? api(rank).Ssend_init
                        : its.mode == Mode::buffered  ? api(rank).Bsend_init
                                                      : api(rank).Send_init;
    const MPI_Datatype type = all_.type(rank, its);
    if (its.receives)
        api(rank).Recv_init(its.data.data(), its.words, type, all_.peer(its), tag_of(its), c, &its.handle);
    else
        inits(its.data.data(), its.words, type, all_.peer(its), tag_of(its), c, &its.handle);
    at(rank).slots.push_back(std::move(slot));
}

void Calls::start(int rank) {
    for (auto& slot : at(rank).slots) {
        if (!slot->persistent || slot->active) continue;
        all_.poke(rank);
        all_.begin(*slot);
        if (chance(2) == 0)
            api(rank).Start(&slot->handle);
        else
            api(rank).Startall(1, &slot->handle);
        return;
    }
}

void Calls::receive_now(int rank) {
    Slot& its = *at(rank).received;
    all_.begin(its);
    at(rank).waits_for = {&its};
    MPI_Status status{};
    const int error = api(rank).Recv(its.data.data(), its.words, all_.type(rank, its), all_.peer(its), tag_of(its),
                                     comm(rank, its.receive.communicator), &status);
    all_.check_end(rank, its, status, error);
    at(rank).waits_for.clear();
}

void Calls::send_now(int rank) {
    Slot& its = *at(rank).sent;
    if (its.message.destination == rank) all_.poke(rank);
    all_.begin(its);
    at(rank).waits_for = {&its};
    auto* const sends = its.mode == Mode::standard      ? api(rank).Send
                        : its.mode == Mode::synchronous ? api(rank).Ssend
                        : its.mode == Mode::ready       ? api(rank).Rsend
                                                        : api(rank).Bsend;
    const int error = sends(its.data.data(), its.words, all_.type(rank, its), all_.peer(its), tag_of(its),
                            comm(rank, its.message.communicator));
    all_.check_end(rank, its, MPI_Status{}, error);
    at(rank).waits_for.clear();
}

void Calls::send_and_receive(int rank) {
    Slot &out = *at(rank).sent, &in = *at(rank).received;
    all_.poke(rank);
    all_.begin(in);
    all_.begin(out);
    at(rank).waits_for = {&in, &out};
    MPI_Status status{};
    const MPI_Comm c = comm(rank, in.receive.communicator);
    const int error = api(rank).Sendrecv(out.data.data(), out.words, all_.type(rank, out), all_.peer(out), tag_of(out),
                                         in.data.data(), in.words, all_.type(rank, in), all_.peer(in), tag_of(in), c, &status);
    all_.check_end(rank, in, status, error);
    all_.check_end(rank, out, status, MPI_SUCCESS);
    at(rank).waits_for.clear();
}

void Calls::drop_ended(int rank) {
    auto& slots = at(rank).slots;
    slots.erase(std::remove_if(slots.begin(), slots.end(), [](const auto& its) { return !its->active && !its->persistent; }),
                slots.end());
}

void Calls::end_some(int rank, const std::vector<Slot*>& chosen, const std::vector<MPI_Request>& handles,
                     const std::vector<int>& which, const std::vector<MPI_Status>& statuses, bool errors_in_status, int error) {
    for (std::size_t i = 0; i < which.size(); ++i) {
        Slot& its = *chosen[static_cast<std::size_t>(which[i])];
        all_.expect(its.active, "a function ends what is not active", its.message.id);
        const MPI_Request left = handles[static_cast<std::size_t>(which[i])];
        all_.expect(its.persistent ? left == its.handle : left == MPI_REQUEST_NULL, "handle after the end", its.message.id);
        all_.check_end(rank, its, statuses[i], errors_in_status && error == MPI_ERR_IN_STATUS ? statuses[i].MPI_ERROR : error);
    }
    at(rank).waits_for.clear();
    drop_ended(rank);
}

void Calls::wait_some(int rank, const std::vector<Slot*>& chosen, int way) {
    const int count = static_cast<int>(chosen.size());
    std::vector<MPI_Request> handles;
    for (const Slot* slot : chosen) handles.push_back(slot->handle);
    std::vector<MPI_Status> statuses(chosen.size() + 1);
    std::vector<int> which(chosen.size() + 1);
    const bool none = std::none_of(chosen.begin(), chosen.end(), [](const Slot* its) { return its->active; });
    int flag = 1, done = 0, error = 0;
    bool in_status = way >= 4;
    ++all_.operations;
    at(rank).waits_for = chosen;
    switch (way) {
        case 0:
            done = 1, error = api(rank).Wait(handles.data(), statuses.data()), which[0] = 0;
            break;
        case 1:
            error = api(rank).Test(handles.data(), &flag, statuses.data()), done = flag, which[0] = 0;
            break;
        case 2:
            error = api(rank).Waitany(count, handles.data(), which.data(), statuses.data()), done = 1;
            break;
        case 3:
            error = api(rank).Testany(count, handles.data(), which.data(), &flag, statuses.data()), done = flag;
            break;
        case 4:
            error = api(rank).Waitsome(count, handles.data(), &done, which.data(), statuses.data());
            break;
        case 5:
            error = api(rank).Testsome(count, handles.data(), &done, which.data(), statuses.data());
            break;
        case 6:
            error = api(rank).Waitall(count, handles.data(), statuses.data()), done = count;
            break;
        default:
            error = api(rank).Testall(count, handles.data(), &flag, statuses.data()), done = flag != 0 ? count : 0;
            break;
    }
    if (none) {
        all_.expect(error == MPI_SUCCESS && flag != 0, "functions of inactive requests end at once");
        all_.expect((way != 2 && way != 3) || which[0] == MPI_UNDEFINED, "index of no request");
        all_.expect((way != 4 && way != 5) || done == MPI_UNDEFINED, "count of no request");
        at(rank).waits_for.clear();
        return;
    }
    which.resize(static_cast<std::size_t>(done));
    if (way >= 6) {
        which.clear();
        for (int i = 0; i < done; ++i)
            if (chosen[static_cast<std::size_t>(i)]->active) which.push_back(i);
        std::vector<MPI_Status> packed;
        for (const int i : which) packed.push_back(statuses[static_cast<std::size_t>(i)]);
        statuses = packed;
    }
    // A message that has come and is not long is complete after a test.
    for (const Slot* slot : chosen) {
        if (way != 1 || flag != 0 || !slot->receives || !slot->active) continue;
        const auto got = all_.matcher.match(slot->receive.id);
        all_.expect(!got.has_value() || got->bytes > all_.short_bytes, "a short message is not complete", slot->receive.id);
    }
    end_some(rank, chosen, handles, which, statuses, in_status, error);
}

void Calls::probe_now(int rank, int way) {
    const Slot& its = *at(rank).received;
    const Receive pattern = its.receive;
    const MPI_Comm c = comm(rank, pattern.communicator);
    const int from = all_.peer(its), tag = tag_of(its);
    MPI_Status status{};
    MPI_Message handle = MPI_MESSAGE_NULL;
    int flag = 1;
    ++all_.operations;
    at(rank).waits_for = {at(rank).received.get()};
    switch (way) {
        case 0:
            api(rank).Probe(from, tag, c, &status);
            break;
        case 1:
            api(rank).Iprobe(from, tag, c, &flag, &status);
            break;
        case 2:
            api(rank).Mprobe(from, tag, c, &handle, &status);
            break;
        default:
            api(rank).Improbe(from, tag, c, &flag, &handle, &status);
            break;
    }
    at(rank).waits_for.clear();
    if (its.nobody) {
        all_.expect(flag != 0 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG, "probe of MPI_PROC_NULL");
        all_.expect(way < 2 || handle == MPI_MESSAGE_NO_PROC, "matched probe of MPI_PROC_NULL");
        return;
    }
    const auto expected = all_.matcher.probe(pattern, way >= 2);
    all_.expect(expected.has_value() == (flag != 0), "a probe finds something or nothing", expected ? expected->id : 0);
    if (flag == 0) return;
    all_.check_status(rank, *expected, expected->bytes, status);
    if (way >= 2) at(rank).taken.push_back({handle, *expected});
}

void Calls::receive_taken(int rank) {
    auto& taken = at(rank).taken;
    if (taken.empty()) return;
    const Taken one = taken.back();
    taken.pop_back();
    auto slot = all_.new_receive(rank, one.message.source, one.message.communicator, one.message.tag, most_words);
    slot->nobody = true;  // the reference has matched it already
    all_.begin(*slot);
    slot->nobody = false;
    MPI_Message handle = one.handle;
    MPI_Status status{};
    // The sender of a long one may be in a call that waits for this rank, so this one does not wait.
    const MPI_Datatype type = all_.type(rank, *slot);
    all_.matcher.give(slot->receive.id, one.message);
    if (one.message.bytes <= all_.short_bytes && chance(2) == 0) {
        const int error = api(rank).Mrecv(slot->data.data(), slot->words, type, &handle, &status);
        all_.expect(error == MPI_SUCCESS && handle == MPI_MESSAGE_NULL, "receive of a probed message", one.message.id);
        all_.check_status(rank, one.message, one.message.bytes, status);
        all_.check_data(*slot, one.message);
        all_.matcher.forget(slot->receive.id);
        return;
    }
    at(rank).slots.push_back(std::move(slot));
    Slot& its = *at(rank).slots.back();
    api(rank).Imrecv(its.data.data(), its.words, type, &handle, &its.handle);
}

void Calls::cancel_receive(int rank, Slot& slot) {
    all_.poke(rank);
    const bool expected = all_.matcher.cancel_receive(rank, slot.receive.id);
    slot.must_be_cancelled = expected;
    api(rank).Cancel(&slot.handle);
    look(rank, slot);
}

int Calls::look(int rank, const Slot& slot) {
    MPI_Status status{};
    int flag = 0, cancelled = 0;
    ++all_.operations;
    api(rank).Request_get_status(slot.handle, &flag, &status);
    if (flag != 0) api(rank).Test_cancelled(&status, &cancelled);
    all_.expect(!slot.must_be_cancelled || cancelled != 0, "a receive without a message is not cancelled", slot.message.id);
    all_.expect(slot.must_be_cancelled || !slot.receives || cancelled == 0, "a receive with a message is cancelled",
                slot.message.id);
    return cancelled;
}

void Calls::free_one(int rank) {
    auto& slots = at(rank).slots;
    if (slots.empty()) return;
    const auto its = slots.begin() + chance(static_cast<int>(slots.size()));
    if ((*its)->receives && (*its)->active && (*its)->must_be_cancelled) return;
    api(rank).Request_free(&(*its)->handle);
    at(rank).freed.push_back(std::move(*its));
    slots.erase(its);
}

}  // namespace lam_random
