/* getopt() and its relatives. Those of the C library remember their place for all processes of all nodes together. Rules and
 * words are those of the GNU C library: options may stand behind other words, which move to the end. */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A program may have these of its own. */
#pragma weak getopt
#pragma weak getopt_long
#pragma weak getopt_long_only
#pragma weak optarg
#pragma weak optind
#pragma weak opterr
#pragma weak optopt
char* optarg;
int optind = 1, opterr = 1, optopt = '?';

static const char* rest; /* of a word with several short options */
static int first_other, last_other; /* words that are no options, between the options before and those still to come */
static enum { moves_others, stops_at_others, gives_others } order;

static void begin(const char* shorts) {
    if (optind == 0) optind = 1;
    first_other = last_other = optind;
    rest = NULL;
    order = shorts[0] == '-' ? gives_others : shorts[0] == '+' || getenv("POSIXLY_CORRECT") != NULL ? stops_at_others : moves_others;
}

/* The options that have been read since move in front of the others. */
static void move_others(char** words) {
    while (last_other < optind) {
        char* option = words[last_other];
        memmove(&words[first_other + 1], &words[first_other], (size_t)(last_other - first_other) * sizeof *words);
        words[first_other++] = option;
        ++last_other;
    }
}

static bool is_option(const char* word) {
    return word[0] == '-' && word[1] != '\0';
}

/* Goes to the next word with options. Otherwise returns false, with the answer of getopt(). */
static bool next_word(int count, char** words, int* answer) {
    *answer = -1;
    if (last_other > optind) last_other = optind;
    if (first_other > optind) first_other = optind;
    if (order == moves_others) {
        if (first_other != last_other && last_other != optind)
            move_others(words);
        else if (last_other != optind)
            first_other = optind;
        while (optind < count && !is_option(words[optind])) ++optind;
        last_other = optind;
    }
    if (optind != count && strcmp(words[optind], "--") == 0) {
        ++optind;
        if (first_other != last_other && last_other != optind)
            move_others(words);
        else if (first_other == last_other)
            first_other = optind;
        last_other = optind = count;
    }
    if (optind == count) {
        if (first_other != last_other) optind = first_other;
        return false;
    }
    if (is_option(words[optind])) return true;
    if (order == stops_at_others) return false;
    optarg = words[optind++];
    *answer = 1;
    return false;
}

static bool tells(const char* shorts) {
    if (shorts[0] == '-' || shorts[0] == '+') ++shorts;
    return opterr != 0 && shorts[0] != ':';
}
static int missing(const char* shorts) {
    if (shorts[0] == '-' || shorts[0] == '+') ++shorts;
    return shorts[0] == ':' ? ':' : '?';
}

/* The long option of this name, or -1: none, -2: several begin so. */
static int find_long(const struct option* longs, const char* name, size_t length) {
    int found = -1;
    for (int i = 0; longs[i].name != NULL; ++i) {
        if (strncmp(longs[i].name, name, length) != 0) continue;
        if (strlen(longs[i].name) == length) return i;
        const bool same = found >= 0 && longs[found].has_arg == longs[i].has_arg && longs[found].flag == longs[i].flag &&
                          longs[found].val == longs[i].val;
        if (found != -1 && !same)
            found = -2;
        else if (found == -1)
            found = i;
    }
    return found;
}

static int read_long(int count, char** words, const char* shorts, const struct option* longs, int* index, const char* name,
                     const char* dashes) {
    const size_t length = strcspn(name, "=");
    const int at = find_long(longs, name, length);
    ++optind;
    rest = NULL;
    optopt = 0;
    if (at < 0) {
        if (tells(shorts) && at == -1) fprintf(stderr, "%s: unrecognized option '%s%s'\n", words[0], dashes, name);
        if (tells(shorts) && at == -2) fprintf(stderr, "%s: option '%s%s' is ambiguous\n", words[0], dashes, name);
        return '?';
    }
    const struct option* its = &longs[at];
    if (name[length] == '=') {
        if (its->has_arg == no_argument) {
            if (tells(shorts)) fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", words[0], dashes, its->name);
            optopt = its->val;
            return '?';
        }
        optarg = (char*)name + length + 1;
    } else if (its->has_arg == required_argument) {
        if (optind >= count) {
            if (tells(shorts)) fprintf(stderr, "%s: option '%s%s' requires an argument\n", words[0], dashes, its->name);
            optopt = its->val;
            return missing(shorts);
        }
        optarg = words[optind++];
    }
    if (index != NULL) *index = at;
    if (its->flag == NULL) return its->val;
    *its->flag = its->val;
    return 0;
}

static int read_short(int count, char** words, const char* shorts) {
    const char letter = *rest++;
    const char* its = letter == ':' || letter == ';' ? NULL : strchr(shorts, letter);
    const bool last = *rest == '\0';
    if (last) ++optind;
    if (its == NULL) {
        if (tells(shorts)) fprintf(stderr, "%s: invalid option -- '%c'\n", words[0], letter);
        optopt = letter;
        if (last) rest = NULL;
        return '?';
    }
    if (its[1] != ':') {
        if (last) rest = NULL;
        return letter;
    }
    if (!last) {
        optarg = (char*)rest;
        ++optind;
    } else if (its[2] != ':') {
        if (optind >= count) {
            if (tells(shorts)) fprintf(stderr, "%s: option requires an argument -- '%c'\n", words[0], letter);
            optopt = letter;
            rest = NULL;
            return missing(shorts);
        }
        optarg = words[optind++];
    }
    rest = NULL;
    return letter;
}

static int read_option(int count, char** words, const char* shorts, const struct option* longs, int* index, bool one_dash) {
    static bool begun;
    int answer = -1;
    optarg = NULL;
    if (count < 1) return -1;
    if (!begun || optind == 0) begin(shorts);
    begun = true;
    const char* letters = shorts[0] == '-' || shorts[0] == '+' ? shorts + 1 : shorts;
    if (rest == NULL || *rest == '\0') {
        if (!next_word(count, words, &answer)) return answer;
        const char* word = words[optind];
        if (longs != NULL && word[1] == '-') return read_long(count, words, shorts, longs, index, word + 2, "--");
        if (longs != NULL && one_dash && (word[2] != '\0' || strchr(letters, word[1]) == NULL) &&
            (find_long(longs, word + 1, strcspn(word + 1, "=")) != -1 || strchr(letters, word[1]) == NULL))
            return read_long(count, words, shorts, longs, index, word + 1, "-");
        rest = word + 1;
    }
    return read_short(count, words, letters);
}

int getopt(int count, char* const words[], const char* shorts) {
    return read_option(count, (char**)words, shorts, NULL, NULL, false);
}
int getopt_long(int count, char* const words[], const char* shorts, const struct option* longs, int* index) {
    return read_option(count, (char**)words, shorts, longs, index, false);
}
int getopt_long_only(int count, char* const words[], const char* shorts, const struct option* longs, int* index) {
    return read_option(count, (char**)words, shorts, longs, index, true);
}
