// The jobs of the Slurm engine, in a file: so the next call goes on with them, however this one ends.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sweeps {

struct SlurmState {
    struct Array {
        std::string job;
        std::size_t first = 0, count = 0;  // chunks
    };
    std::string fingerprint;
    std::string chunks;                 // file of the chunks, one a line
    std::size_t round = 0;              // submissions so far
    std::vector<Array> arrays;          // of this round; empty: all have ended
    std::map<std::size_t, int> killed;  // how often a job was killed while it ran the point
    std::size_t vain_rounds = 0;        // one after another without a row

    std::vector<std::string> jobs() const;
    static SlurmState read(const std::string& path);  // of no file: as it begins
    void write(const std::string& path) const;        // whole or not at all
};

}  // namespace sweeps
