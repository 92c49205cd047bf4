// Counts primes in C++: the host's command starts it on node 0, and it starts itself on all others. Each counts in a part of
// the numbers and sends the count to node 0. The word is the upper end.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <node_programs/trollius.h>

namespace {

constexpr int count_event = 400;

class Message {
public:
    Message(int node, int event) {
        header_.nh_node = node;
        header_.nh_event = event;
    }
    Message& word(int value) {
        header_.nh_data[0] = value;
        return *this;
    }
    void send() {
        if (nsend(&header_) != 0) std::perror("nsend");
    }
    int receive() {
        if (nrecv(&header_) != 0) std::perror("nrecv");
        return header_.nh_data[0];
    }

private:
    nmsg header_{};
};

int primes_between(int begin, int end) {
    std::vector<bool> composite(static_cast<std::size_t>(end));
    int count = 0;
    for (int i = 2; i < end; ++i) {
        work_operations(TREK_BRANCH, 2);
        if (composite[static_cast<std::size_t>(i)]) continue;
        count += i >= begin;
        for (int multiple = 2 * i; multiple < end; multiple += i) composite[static_cast<std::size_t>(multiple)] = true;
        work_operations(TREK_STORE, static_cast<unsigned long long>(end / i));
    }
    return count;
}

}  // namespace

int main(int argc, char** argv) {
    const int end = argc > 1 ? std::atoi(argv[1]) : 1000, nodes = getnitb(), me = getnodeid();
    if (me == 0) {
        for (int node = 1; node < nodes; ++node) {
            if (rploadgo(getorigin(), node, argv[0], 0, argv, nullptr, nullptr) != 0) std::perror("rploadgo");
        }
    }
    const int count = primes_between(static_cast<int>(static_cast<long>(end) * me / nodes),
                                     static_cast<int>(static_cast<long>(end) * (me + 1) / nodes));
    Message(0, count_event).word(count).send();
    if (me != 0) return 0;
    int all = 0;
    for (int node = 0; node < nodes; ++node) all += Message(0, count_event).receive();
    const std::string line = std::to_string(all) + " primes below " + std::to_string(end);
    std::printf("%s, on %d nodes\n", line.c_str(), nodes);
    return 0;
}
