/* The calls to router, mallocd and traced. Prints one line a part. */
#include <stdio.h>
#include <string.h>

#include <node_programs/trollius.h>

static int routes(void) {
    int nodes[8], all = getnodes(nodes, 8, NT_JONES, NT_JONES);
    struct rent entry;
    printf("all %d, itb %d, otb %d, jones %d: n%d\n", getall(NULL, 0), getnitb(), getnotb(), all, nodes[0]);
    printf("me %#x, host %#x, comps %d\n", getnodetype(), getrtype(getorigin()), getcomps(nodes, 1));
    if (getrent(1, &entry) != 0) return 1;
    printf("n%d: link %d, type %#x\n", entry.re_node, entry.re_link, entry.re_type);
    if (getrent(99, &entry) != -1 || errno != EBADNODE) return 2;
    if (rremrent(1, 77) != -1 || errno != EBADNODE) return 3;
    const struct rent wrong = {0, 9, 0}, none = {70000, 0, 0}, waste = {2, -1, NT_ITB | NT_WASTE};
    if (rrsetrents(1, &wrong, 1) != -1 || errno != EBADLINK) return 4;
    if (rrsetrents(1, &none, 1) != -1 || errno != ENORDESCRIPTORS) return 5;
    if (rrsetrents(LOCAL, &waste, 1) != 0 || getcomps(nodes, 8) != 2 || getncomp() != 2 || getrtype(2) != (NT_ITB | NT_WASTE)) return 6;
    if (rrsetsmart(1, 0) != 0 || rrsetsmart(1, 1) != 0 || getsmart() != 0) return 7;
    return 0;
}

static int memory(void) {
    static char out[5000], in[5000];
    unsigned at = 0;
    for (unsigned i = 0; i < sizeof out; ++i) out[i] = (char)(i * 3);
    if (rmalloc(1, sizeof out, &at) != 0) return 1;
    if (rmwrite(1, at, out, sizeof out) != 0 || rmread(1, at, in, sizeof in) != 0) return 2;
    if (memcmp(out, in, sizeof in) != 0) return 3;
    if (rmread(1, at + 1, in, sizeof in) != -1 || errno != ENOTMALLOCED) return 4;
    if (rfree(1, at + 1) != -1 || errno != ENOTMALLOCED) return 5;
    if (rfree(1, at) != 0 || rfree(1, at) != -1) return 6;
    if (rmalloc(1, 0, &at) != -1 || errno != EINVAL) return 7;
    if (rmalloc(1, 64 << 20, &at) != -1 || errno != ENOMEM) return 8;
    if (rmalloc(getorigin(), 4, &at) != -1 || errno != ESERVICE) return 9;
    printf("memory is whole\n");
    return 0;
}

static int traces(void) {
    char got[16] = "";
    if (rtrstore(1, 3, "first ", 6) != 0 || rtrstore(1, 3, "second", 6) != 0 || rtrstore(1, -3, "x", 1) != 0) return 1;
    if (rtrget(1, 3, got, 8) != 12) return 2;
    printf("trace '%s'\n", got);
    static char large[70000];
    if (rtrstore(1, 3, large, sizeof large) != -1 || errno != EMSGLEN) return 3;
    if (rtrforget(1, 3) != 2 || rtrsweep(1) != 0 || rtrudie(1, getnodeid(), kgetpid()) != 1 || rtrwipe(1, 0) != 0) return 4;
    return 0;
}

int main(void) {
    const int failed = routes() * 100 + memory() * 10 + traces();
    return failed;
}
