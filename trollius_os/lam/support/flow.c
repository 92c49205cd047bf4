/* Flow control between two ranks. A short message in standard mode goes at once, and is kept until its receive begins. When the
 * node's memory runs low, the receiver tells the senders of more than eight such messages to hold: from then on each of their
 * messages announces itself, as a long one does, and its sender keeps the data. Eight envelopes of each pair are guaranteed, as
 * in LAM. The answer to an announcement says when the sender may go on as before.
 *
 * Modelled cost: a packet for each sender that is told, and the announcements. Nobody pays before memory runs low. */
#include <stdlib.h>

#include "lam_transfer.h"

enum { guaranteed = 8, least_step = 64 * 1024, again_after = 64 };

/* Receiver: bytes of kept messages, those at which memory is looked at again, and those at which it was low. */
static size_t kept_bytes, looks_at = least_step, low_at;
static bool* told; /* by rank of the world: told to hold */
static bool* held; /* by rank of the world: it has told this rank */
static int ranks;
static unsigned since_told; /* messages that came all the same */

void lam_flow_begin(int size) {
    ranks = size;
}

/* Low: what is kept is more than what is left. */
static bool is_low(void) {
    if (kept_bytes < looks_at) return low_at != 0;
    void* const probe = malloc(kept_bytes);
    free(probe);
    if (probe == NULL) {
        if (low_at == 0) low_at = kept_bytes;
        return true;
    }
    low_at = 0;
    looks_at = kept_bytes + (kept_bytes / 8 > least_step ? kept_bytes / 8 : least_step);
    return false;
}

void lam_flow_kept(const struct lam_message* message) {
    kept_bytes += sizeof *message + (message->data == NULL || message->data == message->brief ? 0 : (size_t)message->bytes);
    if (!is_low() || message->sender == lam_rank || message->data == NULL) return;
    /* It may have been told just before an older answer ended the hold. */
    if (told != NULL && told[message->sender] && ++since_told % again_after != 0) return;
    if (lam_count_kept(message->sender, guaranteed + 1) <= guaranteed) return;
    if (told == NULL && (told = calloc((size_t)ranks, sizeof *told)) == NULL) return;
    told[message->sender] = true;
    lam_send_hold(message->sender);
}
void lam_flow_taken(const struct lam_message* message) {
    kept_bytes -= sizeof *message + (message->data == NULL || message->data == message->brief ? 0 : (size_t)message->bytes);
    if (low_at == 0 || kept_bytes > low_at / 2) return;
    low_at = 0;
    looks_at = kept_bytes + least_step;
}

bool lam_flow_answer(int sender) {
    if (told == NULL || !told[sender] || low_at != 0) return false;
    told[sender] = false;
    return true;
}

void lam_flow_hold(int receiver, int hold) {
    if (held == NULL && (!hold || (held = calloc((size_t)ranks, sizeof *held)) == NULL)) return;
    held[receiver] = hold != 0;
}
bool lam_flow_is_held(int receiver) {
    return held != NULL && held[receiver];
}
