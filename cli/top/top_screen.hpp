// TopScreen: the terminal while 'magicwire top' draws on it. The destructor restores the earlier content; so does the end of
// the program by a signal.
#pragma once

#include <memory>

#include "top/top_figures.hpp"

namespace cli {

class TopScreen {
public:
    // Null when the terminal cannot be drawn on: TERM is not set or unknown. At most one object at a time.
    static std::unique_ptr<TopScreen> open(bool colour);
    virtual ~TopScreen() = default;
    virtual void draw(const TopInterval& interval) = 0;
    // Handles keys pressed since the last call. False: the user wants to stop. Blocks while the user pauses.
    virtual bool obey_keys() = 0;
};

}  // namespace cli
