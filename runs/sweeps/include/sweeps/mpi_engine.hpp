// The MPI engine: rank 0 hands points out, and each other rank runs them with the local engine.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sweeps/local_engine.hpp>
#include <sweeps/ranks.hpp>

namespace sweeps {

// The work of rank 0. Returns when each of the others has ended its part, or when `go_on` has said false.
struct HandOut {
    std::size_t most = 1000;  // points that a rank gets at a time
    // Often, with the number of points that have ended. False: hand out no more.
    std::function<bool(std::size_t ended)> go_on;

    // `fingerprint`: of the study; a rank with another one ends. Points are handed out in order, fewer at a time towards the
    // end, so that the ranks end together.
    void run(Ranks& ranks, const std::string& fingerprint, const std::vector<std::size_t>& points) const;
    static void nothing(Ranks& ranks);  // no points: the others end
};

// The source of the other ranks: points that rank 0 hands out, asked for while there is still work.
class RankSource : public PointSource {
public:
    explicit RankSource(Ranks& ranks, std::size_t at_once) : ranks_(ranks), at_once_(at_once) {}
    // Waits for the study to begin, and returns its fingerprint. Empty: there is nothing to do.
    std::optional<std::string> begin();
    std::optional<std::size_t> next() override;
    bool is_over() const override { return over_ && points_.empty(); }
    int handle() const override { return ranks_.handle(); }
    void ended() { ++ended_; }  // a point has
    void close();               // its part is complete in its file

private:
    void listen(int most_ms);
    void ask();

    Ranks& ranks_;
    std::size_t at_once_, ended_ = 0;
    std::deque<std::size_t> points_;
    bool asked_ = false, over_ = false;
};

}  // namespace sweeps
