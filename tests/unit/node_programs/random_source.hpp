// Source text of random programs: mostly sensible calls of trollius.h, some of them wrong. The same number gives the same text.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace test_support {

class RandomSource {
public:
    // One file with `count` programs; the first word of the command chooses.
    static std::string programs(unsigned first, unsigned count) {
        std::string text =
            "#include <limits.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            "#include <node_programs/trollius.h>\n"
            "static char body[10000];\nstatic int counter;\nstatic char* volatile nothing;\nstatic char** words;\n"
            "static void handle(int signal) { counter += signal; recho(LOCAL, body, body, 10); }\n"
            "static void at_end(void) { printf(\"%d\", counter); }\n"
            "static void at_end_with(void* body) { printf(\"%.3s\", (char*)body); }\n";
        std::string table;
        for (unsigned i = first; i < first + count; ++i) {
            text += RandomSource(i).program();
            table += (table.empty() ? "" : ", ") + std::string("program_") + std::to_string(i);
        }
        return text + "int main(int argc, char** argv) {\n    static int (*const all[])(void) = {" + table +
               "};\n    words = argv;\n    return argc > 1 ? all[atoi(argv[1])]() : -1;\n}\n";
    }

private:
    explicit RandomSource(unsigned seed) : seed_(seed), random_(seed) {}

    int upto(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
    std::string one_of(const std::vector<std::string>& choices) {
        return choices[static_cast<std::size_t>(upto(static_cast<int>(choices.size())))];
    }
    bool usually() { return upto(6) != 0; }
    bool rarely() { return upto(25) == 0; }

    std::string event() {
        if (rarely())
            return one_of({"INT_MIN + 7", "INT_MIN + 10", "INT_MIN + 13", "INT_MIN + 20", "INT_MIN", "0", "-kgetpid()"});
        return std::to_string(1 + upto(3));
    }
    std::string node() {
        return rarely() ? one_of({"-1", "99", "70000", "getorigin()"}) : one_of({"LOCAL", "0", "1", "getnall() - 2"});
    }
    std::string length() {
        return rarely() ? one_of({"-1", "INT_MAX", "INT_MIN", "11000"}) : one_of({"0", "1", "64", "1000", "4096", "5000"});
    }
    std::string pointer() {
        return rarely()
                   ? one_of({"nothing", "nothing + 0x5000", "body + 9990", "(char*)&counter", "(char*)\"text\"", "nothing - 1"})
                   : "body";
    }
    std::string flags() {
        return rarely() ? std::to_string(random_()) + "u"
                        : one_of(usually() ? std::vector<std::string>{"0", "KTRY"}
                                           : std::vector<std::string>{"NOBUF", "KTRY | NOBUF"});
    }

    std::string message() {
        return "m.nh_node = " + node() + "; m.nh_event = " + event() + "; m.nh_type = " + one_of({"0", "1", "2", "6", "-1"}) +
               "; m.nh_length = " + length() + "; m.nh_flags = (int)(" + flags() + "); m.nh_msg = " + pointer() +
               "; m.nh_dl_event = " + (rarely() ? "INT_MIN + 19" : event()) + "; ";
    }
    std::string statement(int depth) {
        switch (upto(17)) {
            case 0:
            case 1:
            case 2:
                return message() +
                       one_of(usually() ? std::vector<std::string>{"nsend", "ntry_send"}
                                        : std::vector<std::string>{"nsend", "tsend", "dsend"}) +
                       "(&m);";
            case 3:
            case 4:
                return message() +
                       one_of(usually() ? std::vector<std::string>{"ntry_recv"}
                                        : std::vector<std::string>{"nrecv", "trecv", "drecv"}) +
                       "(&m);";
            case 5:
                return message() + one_of({"nprobe", "getroute", "dtry_send", "dtry_recv"}) + "(&m);";
            case 6:
                return "k.k_event = " + event() + "; k.k_length = " + length() +
                       "; k.k_flags = " + one_of(usually() ? std::vector<std::string>{"KTRY"} : std::vector<std::string>{"0"}) +
                       "; k.k_msg = " + pointer() + "; " + one_of({"ksend(&k)", "krecv(&k)", "ksr(&k, &k)"}) + ";";
            case 7:
                return "printf(\"" + std::to_string(seed_) + ": %d %d\\n\", counter, errno);";
            case 8:
                return "work_us(" + std::to_string(upto(500)) + "); kyield();";
            case 9:
                return one_of({"rpstate(" + node() + ", NULL, 0);", "rbfsweep(" + node() + ");",
                               "rbfstate(" + node() + ", NULL, 0);", "recho(" + node() + ", body, body, " + length() + ");",
                               "ttime();", "getnall();"});
            case 10:
                return depth > 2
                           ? "++counter;"
                           : "for (int i = 0; i < " + std::to_string(1 + upto(4)) + "; ++i) { " + statement(depth + 1) + " }";
            case 11:
                return "{ char* p = malloc(" + std::to_string(upto(5000)) + "); if (p != NULL) { p[0] = 1; " +
                       statement(depth + 1) + " free(p); } }";
            case 12:
                return rarely()
                           ? "rploadgo(LOCAL, " + node() + ", words[0], " + one_of({"0", "RTF_WAIT"}) + ", words, NULL, NULL);"
                           : "if (counter > 3) rpwait(NULL, NULL, NULL);";
            case 13:
                return signal();
            case 14:
                return file();
            case 15:
                return one_of({"atexit(at_end);", "atkexit(at_end_with, body);", "kdelay(" + std::to_string(upto(3000)) + ");",
                               "fprintf(stderr, \"counter\");"});
            default:
                return upto(8) == 0 ? wrong() : "++counter;";
        }
    }
    std::string signal() {
        const std::string number = one_of({"SIGA", "SIGB", "SIGC", "SIGTRACE", "SIGRELEASE", "3", "99"});
        return one_of({"ksignal(" + number + ", handle);", "ksignal(" + number + ", SIGUIGN);", "kdoom(0, " + number + ");",
                       "rpdoom(" + node() + ", SELECT_INDEX, " + std::to_string(1 + upto(20)) + ", " + number + ");",
                       "ksigsetmask(" + std::to_string(upto(256)) + ");", "ksigsetretry(" + std::to_string(upto(256)) + ");",
                       rarely() ? "kpause();" : "ksigsetmask(0);"});
    }
    // There is no folder of files here, so all of them are refused; the console works.
    std::string file() {
        const std::string descriptor = std::to_string(upto(6));
        return one_of({"rfopen(\"one\", " + std::to_string(random_()) + ", 0666);", "fopen(\"one\", \"w\");",
                       "rfwrite(" + descriptor + ", " + pointer() + ", " + (rarely() ? length() : "7") + ");",
                       "rfdup(" + descriptor + ");", "rfclose(" + descriptor + ");", "rfdup2(1, " + descriptor + ");",
                       "rflseek(" + descriptor + ", 0, 0);", "fflush(NULL);"});
    }
    std::string wrong() {
        return one_of({"nothing[counter] = 1;", "while (counter >= 0) body[0] ^= 1;", "exit(counter);", "kexit(3);", "abort();",
                       "counter /= (int)(body[0] & 0);", "rpdoom(LOCAL, SELECT_PID, kgetpid(), SIGUDIE);", "free(body);",
                       "_exit(3);", "nrecv((struct nmsg*)nothing);", "while (ntry_recv(&m) != 0) ++counter;",
                       "memset(body, 1, sizeof body + 100);"});
    }
    std::string program() {
        std::string text = "static int program_" + std::to_string(seed_) +
                           "(void) {\n    struct nmsg m = {0};\n    struct kmsg k = {0};\n    (void)m, (void)k;\n";
        for (int i = 5 + upto(20); i > 0; --i) text += "    " + statement(0) + "\n";
        return text + "    return counter;\n}\n";
    }

    unsigned seed_;
    std::mt19937 random_;
};

}  // namespace test_support
