// Writes OTF2 archives for the tests, by the library of the format: an MPI program whose processes have skewed clocks.
//
//   otf2_sample FOLDER RANKS STEPS SEED
//
// Each step has messages: a ring, blocking or not, or receives that complete in another order than they were posted. Then comes
// a barrier, a broadcast, a reduction or an all-reduce.
//
// For each message it prints SENDER EVENT RECEIVER EVENT, by the numbers of the events in their locations. For each end of a
// barrier it prints "barrier" RANK EVENT, then RANK EVENT of all beginnings.
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t ticks_a_second = 1'000'000'000, hop = 5'000;

struct Rank {
    OTF2_EvtWriter* writer = nullptr;
    std::uint64_t now = 0, events = 0;  // true time, and the number of the next event
    std::uint64_t skew = 0;
    std::uint64_t time() const { return now + skew; }
};

OTF2_FlushType before_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FLUSH;
}
OTF2_FlushCallbacks flush{before_flush, nullptr};

class Sample {
public:
    Sample(const char* folder, std::uint32_t ranks, unsigned seed) : random_(seed), ranks_(ranks) {
        archive_ = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024, OTF2_SUBSTRATE_POSIX,
                                     OTF2_COMPRESSION_NONE);
        if (archive_ == nullptr) std::exit(1);
        OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr);
        OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
        OTF2_Archive_OpenEvtFiles(archive_);
        for (std::uint32_t i = 0; i < ranks; ++i) {
            ranks_[i].writer = OTF2_Archive_GetEvtWriter(archive_, i);
            ranks_[i].now = 1'000'000 + random_() % 10'000;
            ranks_[i].skew = random_() % 400'000;
        }
    }
    void step() {
        for (std::uint32_t i = 0; i < ranks_.size(); ++i) region(i, true, 0);
        random_() % 3 == 0 ? crossed() : ring(random_() % 2 == 0);
        collective(random_() % 4);
        for (std::uint32_t i = 0; i < ranks_.size(); ++i) region(i, false, 0);
    }
    void close() {
        for (std::uint32_t i = 0; i < ranks_.size(); ++i) OTF2_Archive_CloseEvtWriter(archive_, ranks_[i].writer);
        OTF2_Archive_CloseEvtFiles(archive_);
        OTF2_Archive_OpenDefFiles(archive_);
        for (std::uint32_t i = 0; i < ranks_.size(); ++i)
            OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, i));
        OTF2_Archive_CloseDefFiles(archive_);
        define();
        OTF2_Archive_Close(archive_);
    }

private:
    std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
    std::uint64_t step_of(std::uint32_t rank) { return ranks_[rank].now += 1'000 + random_() % 20'000, ranks_[rank].events++; }
    void region(std::uint32_t rank, bool enter, OTF2_RegionRef self) {
        step_of(rank);
        enter ? OTF2_EvtWriter_Enter(ranks_[rank].writer, nullptr, ranks_[rank].time(), self)
              : OTF2_EvtWriter_Leave(ranks_[rank].writer, nullptr, ranks_[rank].time(), self);
    }
    std::uint64_t send(std::uint32_t from, std::uint32_t to, std::uint32_t tag, bool blocking) {
        const std::uint64_t event = step_of(from);
        blocking ? OTF2_EvtWriter_MpiSend(ranks_[from].writer, nullptr, ranks_[from].time(), to, 0, tag, 100)
                 : OTF2_EvtWriter_MpiIsend(ranks_[from].writer, nullptr, ranks_[from].time(), to, 0, tag, 100, event);
        return event;
    }
    void after(std::uint32_t rank, std::uint64_t time) { ranks_[rank].now = std::max(ranks_[rank].now, time); }

    void ring(bool blocking) {
        std::vector<std::uint64_t> sent(size()), left(size());
        for (std::uint32_t i = 0; i < size(); ++i) {
            sent[i] = send(i, (i + 1) % size(), 7, blocking);
            left[i] = ranks_[i].now;
        }
        for (std::uint32_t i = 0; i < size(); ++i) {
            const std::uint32_t from = (i + size() - 1) % size();
            after(i, left[from] + hop);
            const std::uint64_t event = step_of(i);
            OTF2_EvtWriter_MpiRecv(ranks_[i].writer, nullptr, ranks_[i].time(), from, 0, 7, 100);
            std::printf("%u %llu %u %llu\n", from, static_cast<unsigned long long>(sent[from]), i,
                        static_cast<unsigned long long>(event));
        }
    }
    // Two receives of one tag: the first posted gets the first message, and completes last.
    void crossed() {
        const std::uint32_t from = random_() % size(), to = (from + 1) % size();
        const std::uint64_t requests[]{2 * next_request_, 2 * next_request_ + 1};
        ++next_request_;
        for (const std::uint64_t request : requests) {
            step_of(to);
            OTF2_EvtWriter_MpiIrecvRequest(ranks_[to].writer, nullptr, ranks_[to].time(), request);
        }
        const std::uint64_t sent[]{send(from, to, 9, true), send(from, to, 9, false)};
        for (const int i : {1, 0}) {
            after(to, ranks_[from].now + hop);
            const std::uint64_t event = step_of(to);
            OTF2_EvtWriter_MpiIrecv(ranks_[to].writer, nullptr, ranks_[to].time(), from, 0, 9, 100, requests[i]);
            std::printf("%u %llu %u %llu\n", from, static_cast<unsigned long long>(sent[i]), to,
                        static_cast<unsigned long long>(event));
        }
    }
    void collective(std::uint32_t kind) {
        constexpr OTF2_CollectiveOp operations[]{OTF2_COLLECTIVE_OP_BARRIER, OTF2_COLLECTIVE_OP_BCAST,
                                                 OTF2_COLLECTIVE_OP_REDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE};
        const bool all = kind == 0 || kind == 3;
        const std::uint32_t root = random_() % size();
        std::vector<std::uint64_t> begun(size());
        std::uint64_t latest = 0;
        for (std::uint32_t i = 0; i < size(); ++i) {
            begun[i] = step_of(i);
            OTF2_EvtWriter_MpiCollectiveBegin(ranks_[i].writer, nullptr, ranks_[i].time());
            latest = std::max(latest, ranks_[i].now);
        }
        for (std::uint32_t i = 0; i < size(); ++i) {
            after(i, latest + hop);
            const std::uint64_t event = step_of(i);
            OTF2_EvtWriter_MpiCollectiveEnd(ranks_[i].writer, nullptr, ranks_[i].time(), operations[kind], 0,
                                            all ? OTF2_COLLECTIVE_ROOT_NONE : root, kind == 0 ? 0 : 8, kind == 0 ? 0 : 8);
            if (!all) continue;
            std::printf("barrier %u %llu", i, static_cast<unsigned long long>(event));
            for (std::uint32_t j = 0; j < size(); ++j) std::printf(" %u %llu", j, static_cast<unsigned long long>(begun[j]));
            std::printf("\n");
        }
    }
    void define() {
        OTF2_GlobalDefWriter* to = OTF2_Archive_GetGlobalDefWriter(archive_);
        OTF2_GlobalDefWriter_WriteClockProperties(to, ticks_a_second, 0, 1'000'000'000'000, OTF2_UNDEFINED_TIMESTAMP);
        const char* strings[]{"", "main", "node", "MPI_COMM_WORLD"};
        for (std::uint32_t i = 0; i < 4; ++i) OTF2_GlobalDefWriter_WriteString(to, i, strings[i]);
        OTF2_GlobalDefWriter_WriteRegion(to, 0, 1, 1, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                         0, 0, 0);
        OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, 2, 2, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        std::vector<std::uint64_t> members;
        for (std::uint32_t i = 0; i < size(); ++i) {
            OTF2_GlobalDefWriter_WriteString(to, 10 + i, ("rank " + std::to_string(i)).c_str());
            OTF2_GlobalDefWriter_WriteLocationGroup(to, i, 10 + i, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                    OTF2_UNDEFINED_LOCATION_GROUP);
            OTF2_GlobalDefWriter_WriteLocation(to, i, 10 + i, OTF2_LOCATION_TYPE_CPU_THREAD, ranks_[i].events, i);
            members.push_back(i);
        }
        OTF2_GlobalDefWriter_WriteGroup(to, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                        size(), members.data());
        OTF2_GlobalDefWriter_WriteGroup(to, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, size(),
                                        members.data());
        OTF2_GlobalDefWriter_WriteComm(to, 0, 3, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        OTF2_Archive_CloseGlobalDefWriter(archive_, to);
    }

    std::mt19937 random_;
    std::vector<Rank> ranks_;
    std::uint64_t next_request_ = 0;
    OTF2_Archive* archive_ = nullptr;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) return std::fprintf(stderr, "usage: otf2_sample FOLDER RANKS STEPS SEED\n"), 2;
    Sample sample(arguments[1], static_cast<std::uint32_t>(std::atoi(arguments[2])),
                  static_cast<unsigned>(std::atoi(arguments[4])));
    for (int i = 0; i < std::atoi(arguments[3]); ++i) sample.step();
    sample.close();
    return 0;
}
