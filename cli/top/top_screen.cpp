#include "top/top_screen.hpp"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>

#include "frame/progress_line.hpp"

// Last, since term.h makes macros of common words.
#include <curses.h>
#include <term.h>

namespace cli {
namespace {

// For an answer of tigetstr(): nullptr or -1 stands for a capability that the terminal lacks.
bool is_there(const char* sequence) {
    return sequence != nullptr && reinterpret_cast<std::intptr_t>(sequence) != -1;
}

// State that a signal needs to put the terminal back. It is prepared beforehand, since a handler may call next to nothing.
struct Before {
    termios modes{};
    bool known = false;
    std::array<char, 128> text{};
    std::size_t length = 0;

    void add(const char* capability) {
        const char* sequence = tigetstr(capability);
        if (!is_there(sequence)) return;
        for (const char c : std::string_view(sequence)) {
            if (length < text.size()) text[length++] = c;
        }
    }
};
Before before;  // of the only screen

void put_terminal_back() {
    if (before.length > 0 && write(STDOUT_FILENO, before.text.data(), before.length) < 0) return;
    if (before.known) tcsetattr(STDIN_FILENO, TCSANOW, &before.modes);
}

extern "C" void end_by_signal(int signal) {
    const user_programs::OwnSignal own;
    put_terminal_back();
    std::signal(signal, SIG_DFL);
    raise(signal);
}

// The first asks for a clean end, as without a screen; the second ends the program.
extern "C" void interrupt_screen(int signal) {
    if (interrupted != 0) end_by_signal(signal);
    interrupted = 1;
}

constexpr std::array ending_signals = {SIGHUP, SIGQUIT, SIGABRT};
constexpr std::array interrupting_signals = {SIGINT, SIGTERM};

// Set before curses is started: curses leaves alone the signals that already have handlers.
class Signals {
public:
    Signals() {
        for (std::size_t i = 0; i < ending_signals.size(); ++i) set(ending_signals[i], end_by_signal, old_[i]);
        for (std::size_t i = 0; i < interrupting_signals.size(); ++i)
            set(interrupting_signals[i], interrupt_screen, old_interrupt_[i]);
    }
    ~Signals() {
        for (std::size_t i = 0; i < ending_signals.size(); ++i) sigaction(ending_signals[i], &old_[i], nullptr);
        if (interrupted != 0) return;
        for (std::size_t i = 0; i < interrupting_signals.size(); ++i)
            sigaction(interrupting_signals[i], &old_interrupt_[i], nullptr);
    }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

private:
    static void set(int signal, void (*handler)(int), struct sigaction& old) {
        struct sigaction action {};
        action.sa_handler = handler;
        action.sa_flags = SA_ONSTACK;  // a function of a user's program may have no stack any more
        sigaction(signal, &action, &old);
    }
    std::array<struct sigaction, ending_signals.size()> old_{};
    std::array<struct sigaction, interrupting_signals.size()> old_interrupt_{};
};

// Okabe and Ito's colours, as near as the terminal has them: sky blue, orange, vermilion.
struct Colours {
    short program, monitor, alarm;
};
constexpr Colours of_256{74, 214, 166}, of_8{COLOR_CYAN, COLOR_YELLOW, COLOR_RED};

class CursesScreen final : public TopScreen {
public:
    CursesScreen(std::unique_ptr<Signals> signals, SCREEN* screen, bool colour)
        : signals_(std::move(signals)), screen_(screen) {
        cbreak();
        noecho();
        curs_set(0);
        keypad(stdscr, TRUE);
        nodelay(stdscr, TRUE);
        colour_ = colour && has_colors() && start_color() == OK && use_default_colors() == OK;
        if (!colour_) return;
        const Colours& colours = COLORS >= 256 ? of_256 : of_8;
        init_pair(pair_of(TopStyle::Program), colours.program, -1);
        init_pair(pair_of(TopStyle::Monitor), colours.monitor, -1);
        init_pair(pair_of(TopStyle::Alarm), colours.alarm, -1);
    }
    ~CursesScreen() override {
        endwin();
        delscreen(screen_);
        before = {};
    }
    CursesScreen(const CursesScreen&) = delete;
    CursesScreen& operator=(const CursesScreen&) = delete;

    void draw(const TopInterval& interval) override {
        last_.emplace(interval);
        redraw();
    }

    bool obey_keys() override {
        int key = obey(getch());
        while (paused_ && !quit_ && interrupted == 0) {
            redraw();
            timeout(100);
            key = obey(getch());
            timeout(0);
        }
        while (!quit_ && key != ERR) key = obey(getch());
        return !quit_;
    }

private:
    static short pair_of(TopStyle style) { return static_cast<short>(static_cast<int>(style) + 1); }

    attr_t attributes(TopStyle style) const {
        switch (style) {
            case TopStyle::Plain:
                return A_NORMAL;
            case TopStyle::Head:
                return A_BOLD;
            case TopStyle::Idle:
                return A_DIM;
            case TopStyle::Alarm:
                return A_BOLD | (colour_ ? COLOR_PAIR(pair_of(style)) : 0);
            case TopStyle::Program:
            case TopStyle::Monitor:
                break;
        }
        return colour_ ? COLOR_PAIR(pair_of(style)) : A_NORMAL;
    }

    int obey(int key) {
        const std::size_t page = static_cast<std::size_t>(std::max(LINES / 2, 1));
        switch (key) {
            case 'q':
                quit_ = true;
                break;
            case 'p':
                paused_ = !paused_;
                break;
            case KEY_DOWN:
                ++skipped_;
                break;
            case KEY_NPAGE:
                skipped_ += page;
                break;
            case KEY_UP:
                skipped_ -= std::min<std::size_t>(skipped_, 1);
                break;
            case KEY_PPAGE:
                skipped_ -= std::min(skipped_, page);
                break;
            case KEY_HOME:
                skipped_ = 0;
                break;
            default:
                return key;
        }
        redraw();
        return key;
    }

    void redraw() {
        if (!last_) return;
        int height = 0, width = 0;
        getmaxyx(stdscr, height, width);
        // Rows that do not exist cannot be scrolled away, and the way back is as long as the way there.
        skipped_ = std::min(skipped_, std::max(last_->now.nodes.size(), last_->now.links.size()));
        erase();
        const auto rows = top_picture(*last_, static_cast<std::size_t>(height - 1), static_cast<std::size_t>(width), skipped_);
        for (std::size_t i = 0; i < rows.size(); ++i) put_row(static_cast<int>(i), width, rows[i]);
        const char* keys = paused_ ? "PAUSED   p: go on   q: quit" : "q: quit   p: pause   arrows, page keys: scroll";
        put_row(height - 1, width, {{TopStyle::Idle, keys}});
        refresh();
    }

    void put_row(int y, int width, const TopRow& row) const {
        if (move(y, 0) == ERR) return;
        for (const TopSpan& span : row) {
            const int room = width - getcurx(stdscr);
            if (getcury(stdscr) != y || room <= 0) return;
            attrset(static_cast<int>(attributes(span.style)));
            addnstr(span.text.c_str(), room);
        }
        attrset(A_NORMAL);
    }

    std::unique_ptr<Signals> signals_;
    SCREEN* screen_;
    bool colour_ = false, paused_ = false, quit_ = false;
    std::size_t skipped_ = 0;
    std::optional<TopInterval> last_;
};

}  // namespace

std::unique_ptr<TopScreen> TopScreen::open(bool colour) {
    before = {};
    before.known = tcgetattr(STDIN_FILENO, &before.modes) == 0;
    auto signals = std::make_unique<Signals>();
    SCREEN* screen = newterm(nullptr, stdout, stdin);
    if (screen == nullptr) return nullptr;
    const char* to_place = tigetstr("cup");
    if (!is_there(to_place)) {  // it can only be written line by line
        endwin();
        delscreen(screen);
        return nullptr;
    }
    for (const char* capability : {"op", "sgr0", "cnorm", "rmcup", "rmkx"}) before.add(capability);
    return std::make_unique<CursesScreen>(std::move(signals), screen, colour);
}

}  // namespace cli
