// TopScreen: the terminal while 'magicwire top' draws on it. Its earlier content is back when the object is gone, and also when
// a signal ends the program.
#pragma once

#include <memory>

#include "top/top_figures.hpp"

namespace cli {

class TopScreen {
public:
    // Null when the terminal cannot be drawn on: TERM is not set, or is unknown. One at a time.
    static std::unique_ptr<TopScreen> open(bool colour);
    virtual ~TopScreen() = default;
    virtual void draw(const TopInterval& interval) = 0;
    // Obeys the keys pressed since the last call. False: the user wants to stop. Returns late while the user has it paused.
    virtual bool obey_keys() = 0;
};

}  // namespace cli
