// Small random programs of MPI with receives of any source, as lists of operations, for whoever runs or judges them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lam_races {

inline constexpr int any = -1;

enum class Kind : std::uint8_t { Send, Ssend, Isend, Issend, Recv, Irecv, Probe, RecvProbed, Wait, Barrier };

struct Operation {
    Kind kind = Kind::Send;
    int peer = any;  // rank; of receives and probes also `any`
    int tag = 0;     // likewise
    int of = -1;     // Wait: the operation that it ends. RecvProbed: the probe, whose message is taken
    int when = -1;   // done only if the receive with this number, of the same rank, got its message
    int from = 0;    // from this rank
    bool is_send() const { return kind <= Kind::Issend; }
    bool is_synchronous() const { return kind == Kind::Ssend || kind == Kind::Issend; }
    // Counts as a receive of MPI: receives and blocking probes, in the order of their beginning.
    bool counts() const { return kind >= Kind::Recv && kind <= Kind::RecvProbed; }
    bool is_wild() const { return (kind == Kind::Recv || kind == Kind::Irecv || kind == Kind::Probe) && peer == any; }
};
using Program = std::vector<std::vector<Operation>>;  // by rank

// (rank, number of the receive) and the source that came, of wild receives and probes whose end the program has seen.
using Order = std::map<std::pair<int, int>, int>;

Program random_program(std::uint32_t seed, int most_wild);
std::string text_of(const Program& program);
std::string text_of(const Order& order);

// Judge: all orders by the rules of matching alone. Messages of one sender that one receive could take stay in order; so do
// receives that could take one message. A match may come arbitrarily late. A standard send never waits, a synchronous one waits
// for its match. `complete` is false when there are more than `most_states`.
struct Orders {
    std::vector<Order> all;  // sorted
    bool complete = true;
};
Orders all_orders(const Program& program, std::size_t most_states);

}  // namespace lam_races
