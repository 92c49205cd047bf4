/* Groups the line segments of an image that belong to one object, one task a segment: the program of the thesis, section 6.2. The image is
 * small and made by arithmetic, so that every slave has the same one without a file.
 *
 * With IMAGE_GROUP_BUG it has the thesis' fault: Nsegs is set in data_generator(), whose process has globals of its own, so in
 * result_receiver() it is still 0, the loop never runs and the farm ends while results are outstanding.
 */
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum { most_segments = 64, most_group = 16 };

struct segment {
    int x0, y0, x1, y1;
};
struct user_task {
    int segment;
};
struct user_result {
    int segment, size, member[most_group];
};

int Nsegs;
static struct segment image[most_segments];
static int image_loaded;

static unsigned random_state = 12345;
static int random_below(int limit) {
    random_state = random_state * 1103515245u + 12345u;
    return (int)(random_state / 65536u) % limit;
}

static void load_image(void) {
    for (int i = 0; i < most_segments; ++i) {
        const int object = i / 4;  /* four segments make an object: a square somewhere in the image */
        const int x = object % 8 * 100 + random_below(8), y = object / 8 * 100 + random_below(8), side = i % 4;
        image[i].x0 = x + (side == 1 ? 40 : 0);
        image[i].y0 = y + (side == 2 ? 40 : 0);
        image[i].x1 = x + (side == 0 || side == 1 || side == 2 ? 40 : 0);
        image[i].y1 = y + (side == 1 || side == 2 || side == 3 ? 40 : 0);
    }
    image_loaded = 1;
}

static int distance(int a, int b) { return a > b ? a - b : b - a; }
static int near(const struct segment* a, const struct segment* b) {
    return distance(a->x0, b->x0) <= 60 && distance(a->y0, b->y0) <= 60 && distance(a->x1, b->x1) <= 60 && distance(a->y1, b->y1) <= 60;
}

void init_master(void) {
#ifndef IMAGE_GROUP_BUG
    Nsegs = (int)total_tasks();
#endif
}

void data_generator(void) {
#ifdef IMAGE_GROUP_BUG
    Nsegs = (int)total_tasks();
#endif
    for (int i = 0; i < (int)total_tasks(); ++i) {
        struct user_task task = {i};
        work_us(1400);  /* reads the segment's description */
        do_task(&task, sizeof task);
    }
}

void compute_fn(const void* data, unsigned bytes) {
    struct user_task task;
    struct user_result result;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    memset(&result, 0, sizeof result);
    if (!image_loaded) load_image();
    result.segment = task.segment;
    for (int i = 0; i < most_segments && result.size < most_group; ++i) {
        if (near(&image[task.segment % most_segments], &image[i])) result.member[result.size++] = i;
    }
    /* Segments 0 and 3 end at the image's border: they are compared with their neighbours only, all others with the whole image. */
    work_us(task.segment % 5 == 0 || task.segment % 5 == 3 ? 200 : 6284000);
    return_result(&result, sizeof result);
}

void result_receiver(void) {
    char line[200];
    for (int i = 0; i < Nsegs; ++i) {
        struct user_result result;
        int at;
        memcpy(&result, get_result(0), sizeof result);
        at = snprintf(line, sizeof line, "segment %d belongs to:", result.segment);
        for (int m = 0; m < result.size && at < (int)sizeof line - 8; ++m) at += snprintf(line + at, sizeof line - (size_t)at, " %d", result.member[m]);
        snprintf(line + at, sizeof line - (size_t)at, "\n");
        trek_print(line);
    }
}
