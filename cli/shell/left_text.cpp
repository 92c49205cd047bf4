#include "shell/left_text.hpp"

#include <sys/mman.h>

#include <cstring>

#include <vocabulary/errors.hpp>

namespace cli {

struct LeftText::Place {
    std::size_t bytes;
    char text[most_bytes];
};

LeftText::LeftText() {
    void* const memory =
        mmap(nullptr, sizeof(Place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw vocabulary::HostError("the host has no memory for the shell; close other programs");
    place_ = static_cast<Place*>(memory);
}

LeftText::~LeftText() {
    munmap(place_, sizeof(Place));
}

void LeftText::leave(const std::string& line) {
    if (line.size() > most_bytes)
        throw vocabulary::RequestError(
            "the cut is too far from the snapshot; go back, and take one nearer to the cut, after 'break when'");
    std::memcpy(place_->text, line.data(), line.size());
    place_->bytes = line.size();
}

std::string LeftText::read() const {
    return {place_->text, place_->bytes};
}

std::string LeftText::take() {
    std::string line = read();
    place_->bytes = 0;
    return line;
}

}  // namespace cli
