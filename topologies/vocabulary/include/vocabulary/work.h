/* What a program in C or C++ says of the cost of its computation. A farm program has these calls by trek.h, any other by
 * trollius.h. */
#ifndef VOCABULARY_WORK_H
#define VOCABULARY_WORK_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cost of a computation on the modelled T800 ----
 * With `costs: explicit` these calls charge modelled time. They charge nothing with `costs: estimated`, which counts the
 * executed basic blocks, or with a file of costs (docs/model/program_costs.md). */

void work_us(unsigned long long microseconds);
void work_cycles(unsigned long long cycles); /* of the processor's clock: 50 ns at 20 MHz */

/* NOLINTBEGIN(readability-identifier-naming): names of C */
enum trek_operation { /* cycles: `magicwire costs`, rows program.operation.* */
    TREK_INTEGER_ADD,       /* add, subtract, compare, and, or, exclusive or */
    TREK_INTEGER_MULTIPLY,
    TREK_INTEGER_DIVIDE,    /* and remainder */
    TREK_LOAD,              /* load of a word that is not a local variable */
    TREK_STORE,
    TREK_BRANCH,
    TREK_CALL,              /* and return */
    TREK_FLOAT_ADD,         /* single precision; add, subtract */
    TREK_FLOAT_MULTIPLY,
    TREK_FLOAT_DIVIDE,
    TREK_DOUBLE_ADD,
    TREK_DOUBLE_MULTIPLY,
    TREK_DOUBLE_DIVIDE,
    TREK_DOUBLE_SQUARE_ROOT,
    TREK_OPERATIONS         /* number of kinds */
};
/* NOLINTEND(readability-identifier-naming) */
void work_operations(enum trek_operation kind, unsigned long long count);

#ifdef __cplusplus
}
#endif
#endif
