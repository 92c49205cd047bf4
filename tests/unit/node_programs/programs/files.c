/* Remote files from C. The first word names the part that a process plays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <node_programs/trollius.h>

static char bytes[10000];

static void fails(const char* what) {
    const int error = errno;
    printf("%s: ", what);
    errno = error;
    fflush(stdout);
    terror("fails");
}

static int do_calls(void) {
    struct stat facts;
    char folder[200];
    for (int i = 0; i < (int)sizeof bytes; ++i) bytes[i] = (char)(i % 101);
    const int file = rfopen("data", O_RDWR | O_CREAT | O_TRUNC, 0666);
    printf("rfopen: %d\n", file);
    printf("rfwrite: %d\n", rfwrite(file, bytes, sizeof bytes));
    printf("rflseek: %d\n", rflseek(file, -5000, SEEK_END));
    memset(bytes, 0, sizeof bytes);
    printf("rfread: %d\n", rfread(file, bytes, sizeof bytes));
    printf("the bytes: %d %d\n", bytes[0] == 5000 % 101, bytes[4999] == 9999 % 101);
    const int other = rfdup(file), target = rfdup2(file, 17);
    printf("rfdup: %d, rfdup2: %d\n", other, target);
    printf("rfftruncate: %d\n", rfftruncate(target, 100));
    printf("rffstat: %d", rffstat(other, &facts));
    printf(", %d bytes, file %d\n", (int)facts.st_size, S_ISREG(facts.st_mode));
    printf("rfclose: %d", rfclose(file));
    printf(" %d", rfclose(other));
    printf(" %d\n", rfclose(target));
    printf("rfmkdir: %d", rfmkdir("below", 0777));
    printf(", rfrename: %d\n", rfrename("data", "below/data"));
    printf("rfchdir: %d", rfchdir("below"));
    printf(", rfaccess: %d", rfaccess("data", 6));
    printf(", rftruncate: %d\n", rftruncate("data", 7));
    printf("rfgetwd: %d", rfgetwd(folder, sizeof folder));
    printf(" %s\n", folder);
    printf("rfstat: %d", rfstat("data", &facts));
    printf(", %d bytes\n", (int)facts.st_size);
    printf("rfchdir: %d", rfchdir(".."));
    printf(", rfunlink: %d", rfunlink("below/data"));
    printf(", rfrmdir: %d\n", rfrmdir("below"));
    return 0;
}

static int do_errors(void) {
    char name[300], small[3];
    memset(name, 'a', sizeof name - 1);
    name[299] = 0;
    if (rfopen("none", O_RDONLY, 0) < 0) fails("none");
    if (rfopen("../out", O_RDONLY, 0) < 0) fails("above");
    if (rfopen("/etc/passwd", O_RDONLY, 0) < 0) fails("absolute");
    if (rfopen("1:data", O_RDONLY, 0) < 0) fails("a node without files");
    if (rfopen("77:data", O_RDONLY, 0) < 0) fails("no node");
    if (rfopen(name, O_RDONLY, 0) < 0) fails("long");
    if (rfopen("data", O_RDONLY | O_NONBLOCK, 0) < 0) fails("flags");
    if (rfread(9, bytes, 4) < 0) fails("descriptor");
    if (rfrename("data", "1:data") < 0) fails("nodes");
    if (rfsystem("ls") < 0) fails("system");
    if (rfgetwd(small, 1) < 0) fails("small");
    int file = 0, opened = 0;
    while ((file = rfopen("data", O_RDWR | O_CREAT, 0666)) >= 0) ++opened;
    fails("too many");
    printf("%d opened\n", opened);
    return 0;
}

static int do_service(void) {
    static struct fstate table[8];
    const int file = rfopen("shared", O_RDWR | O_CREAT | O_TRUNC, 0666);
    rfwrite(file, "12345", 5);
    const int all = rfstate(getorigin(), table, 8);
    printf("%d rows; %s has %d users and %u bytes moved, from n%d\n", all, table[3].fs_name, table[3].fs_users, table[3].fs_flow,
           table[3].fs_client_node);
    printf("%d users, ", rfincr(getorigin(), table[3].fs_descriptor, 2));
    printf("%d closed, ", rfrmfd(getorigin(), table[3].fs_descriptor));
    printf("then %d\n", rfwrite(file, "6", 1));
    const int one_way = rfopen("one_way", O_WRONLY | O_CREAT | O_1WAY, 0666);
    const double began = ttime();
    for (int i = 0; i < 10; ++i) rfwrite(one_way, "abc", 3);
    const double took = ttime() - began;
    const int answered = rfopen("answered", O_WRONLY | O_CREAT, 0666);
    const double then = ttime();
    for (int i = 0; i < 10; ++i) rfwrite(answered, "abc", 3);
    printf("one way takes %s\n", took < 0.7 * (ttime() - then) ? "less" : "as long");
    return 0;
}

static int do_stdio(void) {
    char line[100];
    FILE* file = fopen("text", "w");
    for (int i = 0; i < 1000; ++i) fprintf(file, "line %d\n", i);
    printf("at %ld, ", ftell(file));
    printf("fclose: %d\n", fclose(file));
    file = fopen("text", "r+");
    for (int i = 0; i < 3; ++i) fgets(line, sizeof line, file);
    printf("%sat %ld\n", line, ftell(file));
    fputs("LINE", file);
    fseek(file, -9, SEEK_END);
    printf("'%c'", fgetc(file));
    printf(" '%c'\n", ungetc('x', file));
    size_t got = fread(line, 1, sizeof line, file);
    printf("fread: %zu, '%.4s', %s %s\n", got, line, feof(file) ? "at the end" : "not at the end", ferror(file) ? "failed" : "well");
    rewind(file);
    for (int i = 0; i < 4; ++i) fgets(line, sizeof line, file);
    printf("%s", line);
    fclose(file);
    file = fopen("text", "a");
    fwrite("end\n", 1, 4, file);
    setvbuf(file, NULL, _IONBF, 0);
    fputc('.', file);
    struct stat facts;
    stat("text", &facts);
    printf("%d bytes before fclose\n", (int)facts.st_size);
    fclose(file);
    if (fopen("text", "q") == NULL) fails("mode");
    if (fopen("none", "r") == NULL) perror("none");
    file = fopen("text", "r");
    if (fputs("no", file) < 0) perror("fputs");
    fscanf(file, "%ls", (wchar_t*)line);
    return 0;
}

/* fscanf() of a stream against the C library's sscanf(): results, places written, and where the stream stands. */
static int compare_scans(const char* format, const char* input) {
    static char ours[3][256], its[3][256];
    char rest[200] = "", wanted[200] = "", with_rest[100];
    memset(ours, 0x55, sizeof ours);
    memset(its, 0x55, sizeof its);
    FILE* file = fopen("scan", "w+");
    fputs(input, file);
    rewind(file);
    const int got = fscanf(file, format, ours[0], ours[1], ours[2]);
    rest[fread(rest, 1, sizeof rest - 1, file)] = '\0';
    fclose(file);
    const int expected = sscanf(input, format, its[0], its[1], its[2]);
    int at = -1;
    snprintf(with_rest, sizeof with_rest, "%s%%n", format);
    char spare[3][256];
    sscanf(input, with_rest, spare[0], spare[1], spare[2], &at); /* -1: it did not come to the end of the format */
    if (at >= 0) snprintf(wanted, sizeof wanted, "%s", input + at);
    if (got == expected && memcmp(ours, its, sizeof its) == 0 && (at < 0 || strcmp(rest, wanted) == 0)) return 0;
    printf("'%s' of '%s': %d, not %d; '%s' is left\n", format, input, got, expected, rest);
    return 1;
}
static int do_scan(void) {
    const char* formats[] = {"%d%d%s",      "%5d%i%x",    "%o%u%hd",     "%hhd%ld%lld",  "%f%lf%Lf",  "%3s%c%3c", "%[abc]%[^,]%*c%c",
                             "%4[0-9a-f]%s", "%[]x]%[^]x]%c", "%*d%*s%d", "a %d,%d x%c",  "%d%%%d%s",  "%p%g%e",   "%2d%2d%2d", "%ji%zu%td"};
    const char* inputs[] = {"12 -5 word",   "+7 0x1F 077", "777 4294967299 -1", "300 99999999999999999999 -9", "1.5 -.5e3 0x1p-3", "inf NAN infinity", "abcab,rest",
                            "ffff]]xab",    "a 5,6 xyz",   "50%60 z",           "0x7f -1e-3 .",               "123456789",        "", " \n\t", "-", "x"};
    int differ = 0, all = 0;
    for (unsigned f = 0; f < sizeof formats / sizeof *formats; ++f)
        for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; ++i, ++all) differ += compare_scans(formats[f], inputs[i]);
    int count = 0;
    FILE* file = fopen("scan", "w+");
    for (int i = 0; i < 2000; ++i) fprintf(file, "%d\n", i); /* more than a stream reads at once */
    rewind(file);
    for (int number; fscanf(file, "%d", &number) == 1; ++count)
        if (number != count) return 1;
    printf("%d of %d differ; %d numbers, %s\n", differ, all, count, feof(file) ? "to the end" : "not to the end");
    return fclose(file);
}

static int do_redirect(void) {
    printf("on the console\n");
    FILE* file = freopen("log", "w", stdout);
    printf("in the file, %s", file == stdout ? "stdout\n" : "another\n");
    fprintf(stderr, "on the console, too\n");
    return 0;
}

static int do_posix(void) {
    struct stat facts;
    char room[20] = "";
    int file = open("posix", O_RDWR | O_CREAT, 0644);
    write(file, "hello", 5);
    lseek(file, 1, SEEK_SET);
    printf("read: %zd", read(file, room, 3));
    printf(" '%s', fstat: %d", room, fstat(file, &facts));
    printf(", %d bytes, close %d\n", (int)facts.st_size, close(file));
    dprintf(1, "dprintf: %d\n", access("posix", R_OK));
    printf("remove: %d", remove("posix"));
    printf(", mkdir: %d", mkdir("folder", 0777));
    printf(", remove: %d\n", remove("folder"));
    printf("getcwd: %s\n", getcwd(room, sizeof room));
    return 0;
}

static int do_stdin(void) {
    char line[100];
    int lines = 0;
    printf("what? ");
    while (fgets(line, sizeof line, stdin) != NULL) printf("%d: %s", ++lines, line);
    printf("%s\n", feof(stdin) ? "the end" : "not the end");
    return 0;
}

int main(int argc, char** argv) {
    const struct {
        const char* part;
        int (*plays)(void);
    } parts[] = {{"calls", do_calls}, {"errors", do_errors}, {"service", do_service}, {"stdio", do_stdio},
                 {"redirect", do_redirect}, {"scan", do_scan}, {"posix", do_posix}, {"stdin", do_stdin}};
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        if (argc > 1 && strcmp(parts[i].part, argv[1]) == 0) return parts[i].plays();
    return 99;
}
