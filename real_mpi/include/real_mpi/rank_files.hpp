// The files that the preloaded library has written for the ranks of a run (rank_file.h), read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <real_mpi/rank_file.h>

namespace real_mpi {

struct RankRecords {
    real_head head{};
    std::span<const real_record> records{};  // all that the rank had written
    bool finalized = false, aborted = false;
};

class RankFiles {
public:
    // The files N.rank of a folder. A rank without a file has no records. Throws vocabulary::InputError: none is there, or one
    // is damaged, or of another size of the world. Cost: a mapping for each, and a search for the last record.
    explicit RankFiles(const std::string& folder);
    RankFiles(const RankFiles&) = delete;
    RankFiles& operator=(const RankFiles&) = delete;
    ~RankFiles();

    const std::vector<RankRecords>& ranks() const { return ranks_; }
    bool is_mpich() const { return is_mpich_; }
    // Nanoseconds since the first rank's beginning. Exact to about a microsecond on one host, and meaningless between hosts.
    std::uint64_t ns(const real_record& its) const;
    // Acts of the program that the library does not see, in words, each once: "one-sided communication".
    std::vector<std::string> unseen() const;
    bool has_synchronous_sends() const;

private:
    struct Mapping;
    std::vector<std::unique_ptr<Mapping>> mappings_;
    std::vector<RankRecords> ranks_;
    void calibrate();

    bool is_mpich_ = false;
    std::uint64_t began_ = 0;
    double ns_per_tick_ = 1;
};

// Processes of the ranks that are still there although mpirun has ended. They are ended, if their environment names the folder.
void end_ranks(const std::string& folder);

}  // namespace real_mpi
