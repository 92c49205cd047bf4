/* MPI_Dims_create(): a number as a product of factors that are near each other. */
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"
#include "lam_logs.h"

/* Tries all ways to write a number as a product of descending divisors. */
struct trial {
    const int* divisors; /* of the number, ascending */
    int count;
    int *now, *best;
    bool found;
};

/* Better: less between the greatest and the least; then a greater least one; then the greatest ones less. */
static bool is_better(const struct trial* trial) {
    const int *now = trial->now, *best = trial->best;
    const int last = trial->count - 1;
    if (!trial->found) return true;
    if (now[0] - now[last] != best[0] - best[last]) return now[0] - now[last] < best[0] - best[last];
    if (now[last] != best[last]) return now[last] > best[last];
    for (int i = 0; i < last; ++i)
        if (now[i] != best[i]) return now[i] < best[i];
    return false;
}

/* So many factors, none above `most`, can give `rest` or more. */
static bool can_reach(int most, int count, int rest) {
    long long product = 1;
    for (int i = 0; i < count && product < rest; ++i) {
        if (most == 1) break;
        product *= most;
    }
    return product >= rest;
}

static void try_from(struct trial* trial, int at, int rest, int highest) {
    if (at == trial->count) {
        if (rest != 1 || !is_better(trial)) return;
        memcpy(trial->best, trial->now, (size_t)trial->count * sizeof *trial->now);
        trial->found = true;
        return;
    }
    /* The rest are ones; a long list needs no deep recursion. */
    if (rest == 1) {
        for (int i = at; i < trial->count; ++i) trial->now[i] = 1;
        try_from(trial, trial->count, 1, 0);
        return;
    }
    for (int i = highest; i >= 0; --i) {
        const int factor = trial->divisors[i];
        if (!can_reach(factor, trial->count - at, rest)) return;
        /* The factors that follow are not greater, so the difference only grows. */
        if (at > 0 && trial->found && trial->now[0] - factor > trial->best[0] - trial->best[trial->count - 1]) return;
        if (rest % factor != 0) continue;
        trial->now[at] = factor;
        try_from(trial, at + 1, rest / factor, i);
    }
}

static int by_size(const void* first, const void* second) {
    const int one = *(const int*)first, other = *(const int*)second;
    return one < other ? -1 : one > other;
}

/* Writes them, unless `divisors` is NULL, and returns how many they are. */
static int divisors_of(int number, int* divisors) {
    int count = 0;
    for (int i = 1; i <= number / i; ++i) {
        if (number % i != 0) continue;
        if (divisors != NULL) divisors[count] = i;
        ++count;
        if (i == number / i) continue;
        if (divisors != NULL) divisors[count] = number / i;
        ++count;
    }
    return count;
}

/* `best` gets the factors, descending. */
static int factorize(int number, int count, int* best) {
    const int divisor_count = divisors_of(number, NULL);
    int* room = malloc(((size_t)divisor_count + (size_t)count) * sizeof *room);
    if (room == NULL) return MPI_ERR_NO_MEM;
    divisors_of(number, room);
    qsort(room, (size_t)divisor_count, sizeof *room, by_size);
    struct trial trial = {room, count, room + divisor_count, best, false};
    try_from(&trial, 0, number, divisor_count - 1);
    free(room);
    return MPI_SUCCESS;
}

LAM_API(int, Dims_create, (int nnodes, int ndims, int dims[])) {
    const char* const function = "MPI_Dims_create";
    if (nnodes <= 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "nnodes is %d", nnodes);
    if (ndims < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "ndims is %d", ndims);
    if (ndims == 0) return MPI_SUCCESS;
    if (dims == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "dims");
    int rest = nnodes, open = 0;
    for (int i = 0; i < ndims; ++i) {
        if (dims[i] < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_DIMS, function, "dims[%d] is %d", i, dims[i]);
        if (dims[i] == 0) {
            ++open;
        } else if (rest % dims[i] != 0) {
            return lam_fail(MPI_COMM_WORLD, MPI_ERR_DIMS, function, "dims[%d] is %d, which does not divide the %d nodes", i,
                            dims[i], nnodes);
        } else {
            rest /= dims[i];
        }
    }
    if (open == 0 && rest != 1)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_DIMS, function, "the product of dims is not nnodes, which is %d", nnodes);
    if (open == 0) return MPI_SUCCESS;
    int* best = malloc((size_t)open * sizeof *best);
    if (best == NULL || factorize(rest, open, best) != MPI_SUCCESS) {
        free(best);
        return lam_fail_memory(MPI_COMM_WORLD, function);
    }
    for (int i = 0, at = 0; i < ndims; ++i) {
        if (dims[i] != 0) continue;
        dims[i] = best[at++];
        lam_log_wrote(&dims[i], sizeof dims[i]);
    }
    free(best);
    return MPI_SUCCESS;
}
