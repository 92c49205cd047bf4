/* Random numbers as the GNU C library gives them, so a program prints here what it prints elsewhere. Each process has a state
 * of its own; the library's is one for all. */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <stdlib.h>

/* A program may have these of its own. */
#pragma weak srand
#pragma weak rand
#pragma weak srandom
#pragma weak random
#pragma weak initstate
#pragma weak setstate
#pragma weak srand48
#pragma weak seed48
#pragma weak lcong48
#pragma weak drand48
#pragma weak erand48
#pragma weak lrand48
#pragma weak nrand48
#pragma weak mrand48
#pragma weak jrand48

enum { state_bytes = 128 };
static struct random_data additive;
static char additive_state[state_bytes];
static struct random_data* begun(void) {
    if (additive.state == NULL) initstate_r(1, additive_state, sizeof additive_state, &additive);
    return &additive;
}
void srandom(unsigned seed) {
    srandom_r(seed, begun());
}
long random(void) {
    int32_t result = 0;
    random_r(begun(), &result);
    return result;
}
void srand(unsigned seed) {
    srandom(seed);
}
int rand(void) {
    return (int)random();
}
char* initstate(unsigned seed, char* state, size_t bytes) {
    char* const old = (char*)(begun()->state - 1);
    return initstate_r(seed, state, bytes, &additive) == 0 ? old : NULL;
}
char* setstate(char* state) {
    char* const old = (char*)(begun()->state - 1);
    return setstate_r(state, &additive) == 0 ? old : NULL;
}

static struct drand48_data congruent;
void srand48(long seed) {
    srand48_r(seed, &congruent);
}
unsigned short* seed48(unsigned short seed[3]) {
    seed48_r(seed, &congruent);
    return congruent.__old_x;
}
void lcong48(unsigned short words[7]) {
    lcong48_r(words, &congruent);
}
double drand48(void) {
    double result = 0;
    drand48_r(&congruent, &result);
    return result;
}
double erand48(unsigned short state[3]) {
    double result = 0;
    erand48_r(state, &congruent, &result);
    return result;
}
long lrand48(void) {
    long result = 0;
    lrand48_r(&congruent, &result);
    return result;
}
long nrand48(unsigned short state[3]) {
    long result = 0;
    nrand48_r(state, &congruent, &result);
    return result;
}
long mrand48(void) {
    long result = 0;
    mrand48_r(&congruent, &result);
    return result;
}
long jrand48(unsigned short state[3]) {
    long result = 0;
    jrand48_r(state, &congruent, &result);
    return result;
}
