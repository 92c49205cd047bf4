#include <real_mpi/rank_files.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include <vocabulary/source_position.hpp>

namespace real_mpi {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_ranks = 1024;

const char* words_of(std::uint32_t what) {
    switch (what) {
        case REAL_ONE_SIDED:
            return "one-sided communication";
        case REAL_FILES:
            return "files of MPI";
        case REAL_PROCESSES:
            return "ranks outside MPI_COMM_WORLD";
        case REAL_NEIGHBOURS:
            return "collective operations of neighbours";
        case REAL_INTERCOMMUNICATORS:
            return "collective operations on an intercommunicator";
        case REAL_THREADS:
            return "several threads that call MPI";
        case REAL_MPI_4:
            return "functions of MPI-4";
        case REAL_FULL:
            return "calls after the disk was full";
        default:
            return "calls of a newer version";
    }
}

// As the preloaded library reads it.
std::uint64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}
std::uint64_t ticks() {
#if defined __x86_64__ || defined __i386__
    return __builtin_ia32_rdtsc();
#else
    return monotonic_ns();
#endif
}

}  // namespace

struct RankFiles::Mapping {
    explicit Mapping(const std::string& name) {
        const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat its {};
        if (file >= 0 && fstat(file, &its) == 0 && its.st_size >= static_cast<off_t>(REAL_HEAD_BYTES)) {
            bytes = static_cast<std::size_t>(its.st_size);
            at = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
        }
        const int error = errno;
        if (file >= 0) close(file);
        if (at == MAP_FAILED)
            throw vocabulary::InputError({name, 0, 0}, file < 0 ? std::string("it cannot be read: ") + std::strerror(error)
                                                                : "it is no file of a rank of 'magicwire record'");
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { munmap(at, bytes); }

    // Those behind the window, then those in it that are there.
    std::span<const real_record> records(std::uint64_t behind) {
        const auto* const window = reinterpret_cast<const real_record*>(static_cast<const char*>(at) + REAL_HEAD_BYTES);
        const std::size_t room = (bytes - REAL_HEAD_BYTES) / sizeof(real_record);
        const std::size_t count = room < REAL_WINDOW ? 0 : std::min<std::size_t>(room - REAL_WINDOW, behind);
        std::size_t more = 0;
        while (more < std::min<std::size_t>(room, REAL_WINDOW) && count == behind && window[more].kind != REAL_NOTHING &&
               window[more].place == static_cast<std::uint16_t>(behind + more + 1))
            ++more;
        if (more == 0) return {window + REAL_WINDOW, count};
        copied.assign(window + REAL_WINDOW, window + REAL_WINDOW + count);
        copied.insert(copied.end(), window, window + more);
        return copied;
    }

    void* at = MAP_FAILED;
    std::size_t bytes = 0;
    std::vector<real_record> copied{};  // of a rank that was killed
};

RankFiles::RankFiles(const std::string& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() != ".rank") continue;
        const std::string name = entry.path().string();
        if (entry.file_size(ignored) < std::uintmax_t{REAL_HEAD_BYTES}) continue;  // likewise
        auto mapping = std::make_unique<Mapping>(name);
        RankRecords its;
        std::memcpy(&its.head, mapping->at, sizeof its.head);
        if (its.head.magic[0] == 0) continue;  // killed before it had begun
        if (std::memcmp(its.head.magic, REAL_MAGIC, sizeof its.head.magic) != 0 || its.head.size < 1 || its.head.rank < 0 ||
            its.head.rank >= its.head.size || static_cast<std::size_t>(its.head.size) > most_ranks ||
            (!ranks_.empty() && ranks_.size() != static_cast<std::size_t>(its.head.size)))
            throw vocabulary::InputError({name, 0, 0}, "it is no file of a rank of 'magicwire record', or of another run");
        ranks_.resize(static_cast<std::size_t>(its.head.size));
        is_mpich_ = its.head.is_mpich != 0;
        its.records = mapping->records(its.head.behind);
        its.finalized = !its.records.empty() && its.records.back().kind == REAL_FINALIZE;
        its.aborted = !its.records.empty() && its.records.back().kind == REAL_ABORT;
        ranks_[static_cast<std::size_t>(its.head.rank)] = its;
        mappings_.push_back(std::move(mapping));
    }
    if (ranks_.empty())
        throw vocabulary::InputError(
            {folder, 0, 0}, "no rank has called MPI_Init(), or the ranks have run on hosts that do not share this folder");
    calibrate();
}

RankFiles::~RankFiles() = default;

// The counter goes at one rate since the host was booted. If the file is of another boot, it is measured now.
void RankFiles::calibrate() {
    const RankRecords* first = nullptr;
    for (const RankRecords& rank : ranks_) {
        if (rank.head.began != 0 && (first == nullptr || rank.head.began < first->head.began)) first = &rank;
    }
    if (first == nullptr) return;  // no rank has told its beginning: times are those of the counter
    began_ = first->head.began;
    const auto rate = [](std::uint64_t ticks, std::uint64_t ns) {
        return ticks == 0 ? 0.0 : static_cast<double>(ns) / static_cast<double>(ticks);
    };
    const auto plausible = [](double its) { return its > 0.05 && its < 20; };
    ns_per_tick_ = rate(ticks() - began_, monotonic_ns() - first->head.began_ns);
    if (plausible(ns_per_tick_)) return;
    const std::uint64_t ticks_before = ticks(), ns_before = monotonic_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ns_per_tick_ = rate(ticks() - ticks_before, monotonic_ns() - ns_before);
}

std::uint64_t RankFiles::ns(const real_record& its) const {
    return its.time < began_ ? 0 : static_cast<std::uint64_t>(static_cast<double>(its.time - began_) * ns_per_tick_);
}

bool RankFiles::has_synchronous_sends() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const RankRecords& rank) {
        return std::any_of(rank.records.begin(), rank.records.end(),
                           [](const real_record& its) { return its.kind == REAL_UNSEEN && its.number == REAL_SYNCHRONOUS; });
    });
}

std::vector<std::string> RankFiles::unseen() const {
    std::vector<std::string> all;
    for (const RankRecords& rank : ranks_) {
        for (const real_record& its : rank.records) {
            if (its.kind != REAL_UNSEEN || its.number == REAL_SYNCHRONOUS) continue;
            const std::string words = words_of(its.number);
            if (std::find(all.begin(), all.end(), words) == all.end()) all.push_back(words);
        }
    }
    return all;
}

namespace {

bool is_rank_of(int pid, const std::string& folder) {
    std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return text.find(REAL_FOLDER_VARIABLE "=" + folder + '\0') != std::string::npos;
}

}  // namespace

void end_ranks(const std::string& folder) {
    std::vector<int> pids;
    std::error_code ignored;
    if (fs::is_empty(folder, ignored)) return;
    try {
        const RankFiles files(folder);
        for (const RankRecords& rank : files.ranks()) {
            if (rank.head.pid > 0 && is_rank_of(rank.head.pid, folder)) pids.push_back(rank.head.pid);
        }
    } catch (const vocabulary::InputError&) {
        return;  // no rank has begun its file
    }
    // They may be on their way out.
    for (int turn = 0; turn < 50 && !pids.empty(); ++turn) {
        if (turn == 25) {
            for (const int pid : pids) kill(pid, SIGKILL);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::erase_if(pids, [&](int pid) { return !is_rank_of(pid, folder); });
    }
}

}  // namespace real_mpi
