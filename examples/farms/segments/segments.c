/* Groups the line segments of an image into objects, one task a segment: what the program of the thesis does, section 6.2. The image is made
 * by arithmetic, so that every worker has the same one without a file. Two segments belong to one object when their ends meet.
 *
 * What is charged is said by hand: one comparison takes 65 ms here, which gives the 4.2 s a task that the thesis' program took. */
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum { most_segments = 64, most_group = 8, comparison_us = 65000 };

struct segment {
    int x0, y0, x1, y1;
};
struct task {
    int segment;
};
struct result {
    int segment, size, member[most_group];
};

static struct segment image[most_segments];

static unsigned random_state = 12345;
static int random_below(int limit) {
    random_state = random_state * 1103515245u + 12345u;
    return (int)(random_state / 65536u) % limit;
}

/* Sixteen squares of four sides; the left side of some stands off and meets nothing. */
static void load_image(void) {
    for (int square = 0; square < most_segments / 4; ++square) {
        const int x = square % 4 * 60 + random_below(16), y = square / 4 * 60 + random_below(16), side = 24 + random_below(16);
        const struct segment sides[4] = {
            {x, y, x + side, y}, {x + side, y, x + side, y + side}, {x + side, y + side, x, y + side}, {x, y + side, x, y}};
        memcpy(image + 4 * square, sides, sizeof sides);
        if (random_below(4) == 0) {
            image[4 * square + 3].x0 += 8;
            image[4 * square + 3].x1 += 8;
        }
    }
}

static int meet(const struct segment* a, const struct segment* b) {
    return (a->x1 == b->x0 && a->y1 == b->y0) || (a->x0 == b->x1 && a->y0 == b->y1);
}

void data_generator(void) {
    struct task task;
    const int tasks = (int)total_tasks();
    for (task.segment = 0; task.segment < tasks; ++task.segment) do_task(&task, sizeof task);
}

void compute_fn(const void* data, unsigned bytes) {
    static int image_loaded; /* of this worker: the image is made once */
    struct task task;
    struct result result;
    (void)bytes;
    if (!image_loaded) load_image();
    image_loaded = 1;
    memcpy(&task, data, sizeof task);
    memset(&result, 0, sizeof result);
    result.segment = task.segment % most_segments;
    for (int i = 0; i < most_segments; ++i) {
        if (i == result.segment || !meet(&image[result.segment], &image[i])) continue;
        if (result.size < most_group) result.member[result.size++] = i;
    }
    work_us((unsigned long long)most_segments * comparison_us);
    return_result(&result, sizeof result);
}

/* The picture: each segment in the shade of its object, the first segment that it is connected with. */
enum { side_of_picture = 260, header_bytes = 15 };
static unsigned char picture[header_bytes + side_of_picture * side_of_picture];

static void draw(const struct segment* s, int shade) {
    const int dx = (s->x1 > s->x0) - (s->x1 < s->x0), dy = (s->y1 > s->y0) - (s->y1 < s->y0);
    for (int x = s->x0, y = s->y0;; x += dx, y += dy) {
        for (int thick = 0; thick < 4; ++thick)
            picture[header_bytes + (y + 2 + thick % 2) * side_of_picture + x + 2 + thick / 2] = (unsigned char)shade;
        if (x == s->x1 && y == s->y1) break;
    }
}

void result_receiver(void) {
    int object[most_segments], sizes[most_segments];
    struct result all[most_segments];
    const int tasks = (int)total_tasks() < most_segments ? (int)total_tasks() : most_segments;
    int changed = 1, objects = 0;
    memset(all, 0, sizeof all);
    memset(sizes, 0, sizeof sizes);
    for (unsigned i = 0; i < total_tasks(); ++i) {
        struct result result;
        memcpy(&result, get_result(0), sizeof result);
        all[result.segment] = result;
    }
    for (int i = 0; i < tasks; ++i) object[i] = i;
    while (changed) {
        changed = 0;
        for (int i = 0; i < tasks; ++i) {
            for (int m = 0; m < all[i].size; ++m) {
                const int other = all[i].member[m];
                if (other >= tasks || object[other] <= object[i]) continue;
                object[other] = object[i];
                changed = 1;
            }
            for (int m = 0; m < all[i].size; ++m) {
                const int other = all[i].member[m];
                if (other >= tasks || object[other] >= object[i]) continue;
                object[i] = object[other];
                changed = 1;
            }
        }
    }
    load_image();
    snprintf((char*)picture, sizeof picture, "P5\n%3d %3d\n255\n", side_of_picture, side_of_picture);
    for (int i = 0; i < tasks; ++i) {
        draw(&image[i], 80 + object[i] * 37 % 176);
        objects += sizes[object[i]]++ == 0;
    }
    for (int i = 0; i < tasks; ++i) {
        if (sizes[i] == 0) continue;
        printf("object with segment %d:", i);
        for (int k = i + 1; k < tasks; ++k) {
            if (object[k] == i) printf(" %d", k);
        }
        printf("\n");
    }
    trek_save("segments.pgm", picture, sizeof picture);
    printf("%d segments make %d objects\n", tasks, objects);
}
