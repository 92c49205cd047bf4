// Calls of the library by random ranks. Each runs on its rank's fiber, tells the reference, and checks what comes back.
#pragma once
#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "random_ranks.hpp"

namespace lam_random {

class Calls {
public:
    Calls(const std::string& library, int ranks, int short_bytes, unsigned seed) : all_(library, ranks, short_bytes, seed) {}

protected:
    Rank& at(int rank) { return all_.ranks[static_cast<std::size_t>(rank)]; }
    lam_fibers::Api& api(int rank) { return all_.machine.api(rank); }
    int chance(int below) { return all_.chance(below); }
    MPI_Comm comm(int rank, int number) { return at(rank).comms[static_cast<std::size_t>(number)]; }
    int tag_of(const Slot& slot) const {
        if (!slot.receives) return slot.message.tag;
        return slot.receive.tag == lam_reference::any ? MPI_ANY_TAG : slot.receive.tag;
    }

    void call_begin(int rank, Slot& slot);
    void begin_one(int rank, std::unique_ptr<Slot> slot);
    void init_persistent(int rank, std::unique_ptr<Slot> slot);
    void start(int rank);
    void receive_now(int rank);
    void send_now(int rank);
    void send_and_receive(int rank);
    void drop_ended(int rank);
    // Ends what a function of several requests says is complete.
    void end_some(int rank, const std::vector<Slot*>& chosen, const std::vector<MPI_Request>& handles,
                  const std::vector<int>& which, const std::vector<MPI_Status>& statuses, bool errors_in_status, int error);
    void wait_some(int rank, const std::vector<Slot*>& chosen, int way);
    void probe_now(int rank, int way);
    void receive_taken(int rank);
    void cancel_receive(int rank, Slot& slot);
    // Sets whether the library says that a complete request was cancelled.
    int look(int rank, const Slot& slot);
    void free_one(int rank);

    Ranks all_;
};

}  // namespace lam_random
