/* The vectors of all nodes are summed again and again, on a ring in the order of their numbers. The sum goes around in blocks: a
 * node adds its part to a block and passes it on, while the next block comes. So all nodes work at once. Node 0 begins and
 * collects the sums. Run it on all nodes of a machine; the words are the number of rounds, blocks of a vector, and numbers of a
 * block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

enum { block_event = 100, most_numbers = 256 };

static int numbers = 16;

static void pass(int* block, int nodes) {
    struct nmsg message;
    memset(&message, 0, sizeof message);
    message.nh_node = (getnodeid() + 1) % nodes;
    message.nh_event = block_event;
    message.nh_length = numbers * (int)sizeof *block;
    message.nh_msg = (char*)block;
    if (nsend(&message) != 0) perror("nsend");
}

static void take(int* block) {
    struct nmsg message;
    memset(&message, 0, sizeof message);
    message.nh_event = block_event;
    message.nh_length = numbers * (int)sizeof *block;
    message.nh_msg = (char*)block;
    if (nrecv(&message) != 0) perror("nrecv");
}

/* The node's own vector, element by element. */
static int own(int node, int round, int place) {
    return node * 1000 + round + place;
}

static void add(int* block, int me, int round, int number) {
    for (int i = 0; i < numbers; ++i) block[i] += own(me, round, number * numbers + i);
}

static int wrong_sums(const int* block, int nodes, int round, int number) {
    int wrong = 0;
    for (int i = 0; i < numbers; ++i) {
        int sum = 0;
        for (int node = 0; node < nodes; ++node) sum += own(node, round, number * numbers + i);
        wrong += block[i] != sum;
    }
    return wrong;
}

int main(int argc, char** argv) {
    const int me = getnodeid(), nodes = getnitb();
    const int rounds = argc > 1 ? atoi(argv[1]) : 1, blocks = argc > 2 ? atoi(argv[2]) : 4;
    int block[most_numbers], wrong = 0;
    if (argc > 3) numbers = atoi(argv[3]);
    if (numbers < 1 || numbers > most_numbers) {
        fprintf(stderr, "a block has 1 to %d numbers\n", (int)most_numbers);
        return 1;
    }
    const double began = ttime();
    for (int round = 0; round < rounds; ++round) {
        for (int number = 0; number < blocks && me == 0; ++number) {
            memset(block, 0, sizeof block);
            add(block, me, round, number);
            pass(block, nodes);
        }
        for (int number = 0; number < blocks; ++number) {
            take(block);
            if (me == 0) {
                wrong += wrong_sums(block, nodes, round, number);
            } else {
                add(block, me, round, number);
                pass(block, nodes);
            }
        }
    }
    if (me == 0)
        printf("%d nodes, %d rounds of %d blocks: %d wrong sums, %.0f us a round\n", nodes, rounds, blocks, wrong,
               (ttime() - began) / rounds * 1e6);
    return wrong != 0;
}
