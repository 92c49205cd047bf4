/* Casts, reductions and circuits from C. The first word names the part that a process plays; each prints what it saw. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

static struct nmsg to(int node, int event, char* body, int length) {
    struct nmsg made;
    memset(&made, 0, sizeof made);
    made.nh_node = node;
    made.nh_event = event;
    made.nh_type = 1;
    made.nh_msg = body;
    made.nh_length = length;
    return made;
}

static const char* name_of(int error) {
    const struct {
        int number;
        const char* name;
    } names[] = {{0, "done"},          {EINVAL, "EINVAL"},   {EBADNODE, "EBADNODE"}, {EMSGLEN, "EMSGLEN"},
                 {ENONODES, "ENONODES"}, {EFULL, "EFULL"}, {EEOF, "EEOF"}};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (names[i].number == error) return names[i].name;
    return "another";
}
static const char* result(int value) {
    return name_of(value < 0 ? errno : 0);
}

static int do_casts(void) {
    int nodes[] = {0, 2, 1}, twice[] = {1, 1}, none[] = {77}, got[8] = {0}, word = 5;
    printf("rcast: %s, ", result(rcast(nodes, 0)));
    printf("%s, ", result(rcast(twice, 2)));
    printf("%s\n", result(rcast(none, 1)));
    const int cast = rcast(nodes, 3);
    const int count = rcask(cast, got, 8);
    printf("rcask: %d nodes, n%d n%d n%d, %s\n", count, got[0], got[1], got[2], result(rcask(cast + 7, got, 8)));
    struct nmsg out = to(cast, 30, "to all", 7), in = to(LOCAL, 30, (char*)got, sizeof got);
    printf("nsend: %s\n", result(nsend(&out)));
    nrecv(&in);
    printf("nrecv: '%s'\n", (char*)got);
    printf("ncombine: %s, ", result(ncombine(cast, 9, COMBINE_INT, &word, 1)));
    printf("%s, ", result(ncombine(cast + 7, COMBINE_SUM, COMBINE_INT, &word, 1)));
    printf("%s\n", result(ncombine(3, COMBINE_SUM, COMBINE_INT, &word, 1)));
    for (int node = 1; node < 3; ++node) {
        struct nmsg tell = to(node, 31, NULL, 0);
        tell.nh_data[0] = cast;
        nsend(&tell);
    }
    float sums[2] = {0.5F, 1};
    ncombine(cast, COMBINE_SUM, COMBINE_FLOAT, sums, 2);
    printf("sums: %.2f %.2f\n", (double)sums[0], (double)sums[1]);
    return 0;
}
static int do_member(void) {
    struct nmsg told = to(LOCAL, 31, NULL, 0);
    nrecv(&told);
    float mine[2] = {(float)getnodeid(), 1};
    return ncombine(told.nh_data[0], COMBINE_SUM, COMBINE_FLOAT, mine, 2) == 0 ? (int)mine[1] : 99;
}

static char block[20000];

static int do_psend(void) {
    struct nmsg own = to(LOCAL, 40, NULL, 0), out = to(2, 40, block, sizeof block);
    for (unsigned i = 0; i < sizeof block; ++i) block[i] = (char)(i * 7);
    printf("psendopen: %s, ", result(psendopen(&own)));
    printf("psend: %s, psendclose: %s\n", result(psend(&out)), result(psendclose(&out)));
    if (psendopen(&out) != 0) perror("psendopen");
    printf("again: %s\n", result(psendopen(&out)));
    psend(&out);
    out.nh_length = 0;
    psend(&out);
    printf("psendclose: %s\n", result(psendclose(&out)));
    return 0;
}
static int do_precv(void) {
    struct nmsg in = to(99, 40, block, sizeof block);
    int wrong = 0;
    precvopen(&in);
    const int sender = in.nh_node;
    if (precv(&in) != 0) perror("precv");
    for (unsigned i = 0; i < sizeof block; ++i) wrong += block[i] != (char)(i * 7);
    /* It prints when the circuit is closed: the answer to a print comes over the links that the circuit holds. */
    const int first = in.nh_length;
    precv(&in);
    const int second = in.nh_length;
    const char* const third = result(precv(&in));
    printf("precv: %d bytes from n%d, %d wrong\nprecv: %d bytes\nprecv: %s\n", first, sender, wrong, second, third);
    printf("precvclose: %s, ", result(precvclose(&in)));
    printf("%s\n", result(precvclose(&in)));
    return 0;
}

static int do_numbered(void) {
    struct nmsg out = to(2, 50, block, 9000);
    out.nh_flags = NREEL;
    while (ttime() < 0.5) work_us(100);
    return nsend(&out);
}
static int do_reader(void) {
    while (ttime() < 0.7) work_us(100);
    for (int i = 0; i < 1; ++i) {
        struct nmsg in = to(LOCAL, 50, block, sizeof block);
        const int done = nrecv(&in);
        printf("nrecv: %s\n", result(done));
        if (done == 0) break;
    }
    return 0;
}

static int do_wild(void) {
    return rcast((int*)16, 3);
}

int main(int argc, char** argv) {
    const struct {
        const char* part;
        int (*plays)(void);
    } parts[] = {{"casts", do_casts}, {"member", do_member},     {"psend", do_psend},   {"precv", do_precv},
                 {"wild", do_wild},   {"numbered", do_numbered}, {"reader", do_reader}};
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        if (argc > 1 && strcmp(parts[i].part, argv[1]) == 0) return parts[i].plays();
    return 99;
}
