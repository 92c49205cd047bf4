/* The MPI library's port over sockets of the host: each rank is a process. With it a test runs the library without the model,
 * under a sanitizer, and beside another MPI. LAM_FOLDER, LAM_RANK and LAM_SIZE say where and who. LAM_WISHES: those of lam_start.h;
 * the record goes to the file record.RANK of the folder, a script comes from script.RANK. */
#include <lam_port.h>
#include <lam_start.h>

#include <errno.h>
#include <signal.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most_ranks = 256 };
struct kept {
    struct kept* next;
    struct lam_packet packet;
};
static int own_socket = -1, own_rank, rank_count;
static struct sockaddr_un addresses[most_ranks];
static struct kept *first, **last = &first;

int lam_port_begin(int* rank, int* size) {
    const char* const folder = getenv("LAM_FOLDER");
    if (folder == NULL) return -1;
    own_rank = *rank = atoi(getenv("LAM_RANK"));
    rank_count = *size = atoi(getenv("LAM_SIZE"));
    own_socket = socket(AF_UNIX, SOCK_DGRAM, 0);
    for (int i = 0; i < rank_count; ++i) {
        addresses[i].sun_family = AF_UNIX;
        snprintf(addresses[i].sun_path, sizeof addresses[i].sun_path, "%s/%d", folder, i);
    }
    if (bind(own_socket, (struct sockaddr*)&addresses[own_rank], sizeof addresses[0]) != 0) return -1;
    for (int i = 0; i < rank_count; ++i)
        while (access(addresses[i].sun_path, F_OK) != 0) usleep(100);
    return 0;
}

static int take(struct lam_packet* packet, int flags) {
    const ssize_t got = recv(own_socket, packet, sizeof *packet, flags);
    return got >= (ssize_t)offsetof(struct lam_packet, body);
}

/* Packets that come while a send finds its way full are kept: two ranks that send to each other both go on. */
static void keep_what_comes(void) {
    struct kept* one = malloc(sizeof *one);
    if (one == NULL || !take(&one->packet, MSG_DONTWAIT)) {
        free(one);
        poll(NULL, 0, 1);
        return;
    }
    one->next = NULL;
    *last = one;
    last = &one->next;
}

void lam_port_send(int rank, const int32_t* words, const void* body, int bytes) {
    struct lam_packet packet;
    memcpy(packet.words, words, sizeof packet.words);
    packet.bytes = bytes;
    if (bytes > 0) memcpy(packet.body, body, (size_t)bytes);
    const size_t length = offsetof(struct lam_packet, body) + (size_t)bytes;
    while (sendto(own_socket, &packet, length, MSG_DONTWAIT, (struct sockaddr*)&addresses[rank], sizeof addresses[0]) < 0) {
        if (errno != EAGAIN && errno != ENOBUFS) return; /* that rank has ended */
        keep_what_comes();
    }
}

int lam_port_receive(struct lam_packet* packet, int wait) {
    if (first != NULL) {
        struct kept* one = first;
        memcpy(packet, &one->packet, sizeof *packet);
        first = one->next;
        if (first == NULL) last = &first;
        free(one);
        return 1;
    }
    return take(packet, wait ? 0 : MSG_DONTWAIT);
}

int lam_port_short_bytes(void) {
    return LAM_PACKET_BODY;
}
int lam_port_wishes(void) {
    const char* const wishes = getenv("LAM_WISHES");
    return wishes == NULL ? 0 : (int)strtol(wishes, NULL, 0);
}
static FILE* own_file(const char* what, const char* mode) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s.%d", getenv("LAM_FOLDER"), what, own_rank);
    return fopen(path, mode);
}
const struct lam_event* lam_port_script(struct lam_script_head* head, int* count) {
    enum { most = 100000 };
    static struct lam_event script[most];
    FILE* const file = own_file("script", "rb");
    if (file == NULL || fread(head, sizeof *head, 1, file) != 1) return NULL;
    *count = (int)fread(script, sizeof *script, most, file);
    fclose(file);
    return script;
}
/* Each message: words[0], bytes, body. */
void lam_port_tell(const int32_t* words, const void* body, int bytes) {
    const int32_t head[2] = {words[0], bytes};
    FILE* const file = own_file("record", "ab");
    if (file == NULL) return;
    fwrite(head, sizeof head, 1, file);
    if (bytes > 0) fwrite(body, (size_t)bytes, 1, file);
    fclose(file);
    if (words[0] == LAM_TOLD_DIVERGED)
        fprintf(stderr, "rank %d diverges: kind %d, counter %d, wanted %d, came %d\n", own_rank, words[2], words[3], words[4], words[5]);
}
void lam_port_stop(void) {
    fflush(NULL);
    kill(0, 15);
    _exit(5);
}
double lam_port_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
double lam_port_tick(void) {
    return 1e-9;
}
void lam_port_name(char* room, int bytes) {
    snprintf(room, (size_t)bytes, "n0");
}
void lam_port_charge(enum lam_price row, size_t times) {
    (void)row, (void)times;
}
int lam_port_options(void) {
    const char* const options = getenv("LAM_OPTIONS");
    return options == NULL ? 0 : atoi(options);
}
void lam_port_note(int what, const void* record, int bytes) {
    const struct lam_finding* const finding = record;
    (void)bytes;
    if (what != LAM_NOTE_FINDING) return;
    fprintf(stderr, "rank %d: %s(): %s: %s\n", finding->rank, finding->function, finding->error_class, finding->text);
}
int lam_port_can_read(const void* data, size_t bytes) {
    (void)data, (void)bytes;
    return 1;
}
void lam_port_end(void) {}
void lam_port_abort(int code) {
    fflush(NULL);
    kill(0, 15);
    _exit(code);
}
