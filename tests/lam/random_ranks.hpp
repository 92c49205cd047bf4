// State of the random ranks: what each has begun, and what the reference says of it.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "fibers.hpp"
#include "reference_matcher.hpp"

namespace lam_random {

using lam_reference::Matcher;
using lam_reference::Message;
using lam_reference::Receive;

enum class Mode { standard, synchronous, buffered, ready };
inline constexpr int communicators = 4;  // the world, a copy, one with ranks turned around, one between two halves
inline constexpr int tags = 4, unused_tag = 77, most_words = 3100;

// One send or receive. Its words lie in `data`, each followed by a gap where `gaps` says so.
struct Slot {
    MPI_Request handle = MPI_REQUEST_NULL;
    bool receives = false, persistent = false, active = false, nobody = false;  // nobody: MPI_PROC_NULL
    bool must_be_cancelled = false, may_be_cancelled = false;
    Mode mode = Mode::standard;
    Message message;  // of a send; `bytes` of a receive: its room
    Receive receive;
    int words = 0;
    bool gaps = false;
    std::vector<int> data;
};
struct Taken {  // by a matched probe
    MPI_Message handle = MPI_MESSAGE_NULL;
    Message message;
};
struct Rank {
    std::array<MPI_Comm, communicators> comms{};
    MPI_Datatype gapped = MPI_DATATYPE_NULL;
    std::vector<std::unique_ptr<Slot>> slots, freed;
    std::vector<Taken> taken;
    std::vector<Slot*> waits_for;          // of these the rank is in a blocking call
    std::unique_ptr<Slot> sent, received;  // of a blocking call
    std::vector<char> attached;
};

class Ranks {
public:
    Ranks(const std::string& library, int ranks, int short_bytes, unsigned seed);

    int chance(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    int size() const { return machine.size(); }
    int size_of(int comm) const { return comm == 3 ? size() - size() / 2 : size(); }
    // The rank's number as others of the communicator name it.
    int name_in(int comm, int rank) const;
    bool can_talk(int comm, int a, int b) const;
    bool is_short(const Slot& slot) const { return slot.message.bytes <= short_bytes; }

    std::unique_ptr<Slot> new_send(int source, int destination, int comm, int tag, int words, Mode mode);
    std::unique_ptr<Slot> new_receive(int rank, int source, int comm, int tag, int words);
    void begin(Slot& slot);  // tells the reference, just before the library hears of it
    void fill(Slot& slot);
    MPI_Datatype type(int rank, const Slot& slot) const;
    int peer(const Slot& slot) const;  // as the library's argument
    // The library says that it is complete: is it, and are status and data right?
    void check_end(int rank, Slot& slot, const MPI_Status& status, int error);
    void check_status(int rank, const Message& message, int bytes, const MPI_Status& status);
    void check_data(const Slot& slot, const Message& message);
    void expect(bool holds, const char* what, std::int64_t id = 0);
    // Nothing more than progress.
    void poke(int rank);
    bool is_done(const Slot& slot) const;                  // as far as the rank of the slot knows or will know by itself
    bool can_be_helped(int rank, const Slot& slot) const;  // by a rank of a lower number
    void release(int source, int destination);
    void release_all();

    lam_fibers::Machine machine;
    Matcher matcher;
    std::vector<Rank> ranks;
    int short_bytes;
    std::int64_t operations = 0;

private:
    std::mt19937 random_;
    std::int64_t last_id_ = 0;
};

}  // namespace lam_random
