// A small stored study for the tests of its pictures: two machines, three numbers of buffers, two seeds.
#pragma once

#include <string>
#include <vector>

#include <sweeps/study_database.hpp>

namespace stored_cases {

inline sweeps::Value number(double value) {
    return {value, {}, false};
}

// rate: 100 a buffer on the ring and 1000 on the tree, one more with seed 2. The tree fails with 4 buffers and seed 2.
inline sweeps::StoredStudy study() {
    sweeps::StoredStudy stored;
    stored.name = "small";
    stored.version = "v";
    stored.axes = {"machine", "farm.buffers", "seed"};
    stored.measures = {"rate", "us", "end"};
    stored.sources = {"farm.rate.steady_per_s", "execution_us", "end"};
    for (const char* machine : {"tree:2:3", "ring:3"})
        for (const int buffers : {1, 2, 4})
            for (const int seed : {1, 2}) {
                sweeps::PointRow row;
                row.number = stored.rows.size() + 1;
                row.repeat = "magicwire run f.yaml";
                row.axis_values = {machine, std::to_string(buffers), std::to_string(seed)};
                const double rate = (machine[0] == 'r' ? 100 : 1000) * buffers + (seed - 1);
                if (machine[0] == 't' && buffers == 4 && seed == 2)
                    row.failure = "too long";
                else
                    row.values = {number(rate), number(1e6 / rate), {{}, "the program ended", true}};
                stored.rows.push_back(row);
            }
    stored.points = stored.rows.size();
    return stored;
}

}  // namespace stored_cases
