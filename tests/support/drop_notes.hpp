// DropNotes: a witness that keeps the messages its kernels drop.
#pragma once

#include <vector>

#include <trollius_os/witness.hpp>

namespace test_support {

struct DropNotes final : trollius_os::Witness {
    std::vector<trollius_os::MessageDropped> dropped;
    void on_dropped(const trollius_os::MessageDropped& what) override { dropped.push_back(what); }
};

}  // namespace test_support
