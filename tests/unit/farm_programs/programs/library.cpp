// A program in C++: containers, streams, exceptions, static objects.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <iostream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <trek_kernel/trek.h>

namespace {
std::vector<int> numbers = {1, 2, 3};  // by a static constructor: every process has its own
std::map<std::string, int> seen;
thread_local int of_the_thread = 0;
struct Word {
    char text[16];
};
}  // namespace

void init_master(void) {
    numbers.push_back(4);
}

void data_generator(void) {
    std::cout << "generator has " << numbers.size() << " numbers" << std::endl;
    numbers.push_back(5);
    for (int i = 0; i < 3; ++i) {
        Word word{};
        std::snprintf(word.text, sizeof word.text, "word%d", i);
        do_task(&word, sizeof word);
    }
}

void compute_fn(const void* task, unsigned) {
    Word word;
    std::memcpy(&word, task, sizeof word);
    std::string text(word.text);
    numbers.push_back(6);
    ++seen[text];
    if (text == "throw") throw std::runtime_error("nobody catches this");
    if (text == "memory") std::vector<char> much(100'000'000);
    if (text == "handles") {
        ++of_the_thread;
        try {
            throw std::runtime_error("mine");
        } catch (...) {
            work_us(5);  // another process' turn may come
        }
    }
    if (text == "looks") {
        ++of_the_thread;
        printf("handling: %s, counted %d\n", std::current_exception() == nullptr ? "none" : "another's", of_the_thread);
    }
    if (text == "device") printf("%u\n", std::random_device()());
    if (text == "events") {
        trek_event(7, -5);
        trek_monitor("message+user", 1);
        trek_monitor("tsk", 0);
    }
    try {
        if (text == "word1") throw std::out_of_range(text);
    } catch (const std::exception& error) {
        text = std::string("caught ") + error.what();
    }
    std::sort(text.begin(), text.end());
    printf("%s %zu %d\n", text.c_str(), numbers.size(), rand() % 100);
    return_result(text.c_str(), static_cast<unsigned>(text.size() + 1));
}

void result_receiver(void) {
    std::cout << "receiver has " << numbers.size() << " numbers\n";
    for (int i = 0; i < 3; ++i) {
        const auto* text = static_cast<const char*>(get_result(nullptr));
        std::cout << result_task() << ": " << text << '\n';
    }
    std::string line;
    while (std::getline(std::cin, line)) std::cout << "read " << line << '\n';
    trek_save("numbers.txt", "123", 3);
}
