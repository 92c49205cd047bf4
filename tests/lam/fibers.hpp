// Ranks of an MPI program as fibers of one process, each with a copy of the library of its own. The test moves packets from
// sender to receiver when it likes, and says which rank runs.
#pragma once
#include <mpi.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <lam_start.h>

namespace lam_fibers {

// Functions of one rank's library.
struct Api {
#define LAM_FIBERS_ALL(one)                                                                                                 \
    one(Init) one(Finalize) one(Comm_dup) one(Comm_split) one(Comm_set_errhandler) one(Intercomm_create) one(Buffer_attach) \
        one(Type_vector) one(Type_create_resized) one(Type_commit) one(Send) one(Ssend) one(Bsend) one(Rsend) one(Recv)     \
            one(Isend) one(Issend) one(Ibsend) one(Irsend) one(Irecv) one(Send_init) one(Ssend_init) one(Bsend_init)        \
                one(Recv_init) one(Start) one(Startall) one(Wait) one(Test) one(Waitany) one(Testany) one(Waitsome)         \
                    one(Testsome) one(Waitall) one(Testall) one(Request_free) one(Request_get_status) one(Cancel)           \
                        one(Test_cancelled) one(Probe) one(Iprobe) one(Mprobe) one(Improbe) one(Mrecv) one(Imrecv)          \
                            one(Get_count) one(Barrier) one(Sendrecv) one(Sendrecv_replace)
#define LAM_FIBERS_FIELD(name) decltype(&MPI_##name) name = nullptr;
    LAM_FIBERS_ALL(LAM_FIBERS_FIELD)
#undef LAM_FIBERS_FIELD
};

// In one run: what ranks shall tell and repeat.
struct Deliveries {
    int wishes = 0;                              // lam_wishes
    std::vector<std::vector<lam_event>> events;  // by rank: the script, with LAM_SCRIPT
    lam_script_head head{};                      // of each script
    std::function<void(int rank, const lam_record_head& head, const lam_event* events, int count)> told;
    std::function<void(int what, lam_question& question)> noted;  // with LAM_ASKS
};

class Machine {
public:
    // Copies `library` for each rank. Ends the process with a message when that fails.
    Machine(const std::string& library, int ranks, int short_bytes);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    int size() const { return static_cast<int>(ranks_.size()); }
    Api& api(int rank) { return ranks_.at(static_cast<std::size_t>(rank))->api; }
    bool is_busy(int rank) const { return ranks_.at(static_cast<std::size_t>(rank))->busy; }
    // Begins the job and runs it until it ends or waits for a packet.
    void begin(int rank, std::function<void()> job);
    void resume(int rank);  // one that is busy: until it waits again
    // From now on all can be received that `source` has sent to `destination` so far.
    void release(int source, int destination);
    // The state before MPI_Init(), for another run with these deliveries; what the libraries have allocated is lost.
    void reset(Deliveries deliveries);
    bool is_idle() const;  // no packet is on its way or waits to be received
    const lam_record& record(int rank) const;
    bool release_one(int source, int destination);  // false: nothing is under way there
    bool has_packets(int rank) const { return !ranks_[static_cast<std::size_t>(rank)]->inbox.empty(); }
    // Runs jobs on all ranks at once until each has ended; everything is released as it is sent.
    void all(const std::function<void(int rank)>& job);

private:
    struct Rank {
        Api api;
        void* module = nullptr;
        ucontext_t fiber{};
        std::unique_ptr<char[]> stack;
        std::function<void()> job;
        bool busy = false;
        std::deque<std::vector<char>> inbox;
        char* data = nullptr;  // of the library, that can be written
        std::vector<char> fresh;
    };
    static void run(unsigned high, unsigned low);
    static void send(void* self, int from, int to, const void* packet, std::size_t bytes);
    static int receive(void* self, int rank, void* packet, int wait);
    static void abort(void* self, int rank, int code);
    static const lam_event* script(void* self, int rank, lam_script_head* head, int* count);
    static void note(void* self, int what, void* record);
    static void tell(void* self, int rank, const int* words, const void* body, int bytes);
    void set_port(int rank);
    void prepare(Rank& rank);
    void load(const std::string& library, int rank);

    std::vector<std::unique_ptr<Rank>> ranks_;
    std::map<std::pair<int, int>, std::deque<std::vector<char>>> under_way_;
    ucontext_t driver_{};
    int running_ = -1;
    int short_bytes_;
    Deliveries deliveries_{};
};

}  // namespace lam_fibers
