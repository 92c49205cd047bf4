// The memory of an emulated interval: what is known of each byte, as the recorder knew it (flowback_log::Recorder).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tmon_flowback/emulation.hpp>

namespace tmon_flowback {

// Local variables that no pointer leads to lie here; no process has such addresses. Each interval has room of its own, so that
// a search over several takes none for another.
inline constexpr std::uint64_t first_local = 0x7000'0000'0000'0000;
inline constexpr unsigned local_bits = 36;  // of an interval's room

class Emulation::Memory {
public:
    void forget_all() { ++epoch_; }

    bool knows(std::uint64_t address, std::uint64_t bytes) { return all_are<false>(address, bytes); }
    bool is_set(std::uint64_t address, std::uint64_t bytes) { return all_are<true>(address, bytes); }
    void forget(std::uint64_t address, std::uint64_t bytes) {
        for_pieces(address, bytes, [](Page& page, std::uint64_t at, std::uint64_t count, std::uint64_t) {
            std::fill_n(page.epoch.begin() + static_cast<std::ptrdiff_t>(at), count, 0);
        });
    }
    void set(std::uint64_t address, const void* data, std::uint64_t bytes) {
        const std::uint32_t mark = address >= first_local ? always : epoch_;
        for_pieces(address, bytes, [&](Page& page, std::uint64_t at, std::uint64_t count, std::uint64_t done) {
            std::memcpy(page.value.data() + at, static_cast<const unsigned char*>(data) + done, count);
            std::fill_n(page.epoch.begin() + static_cast<std::ptrdiff_t>(at), count, mark);
        });
    }
    void get(std::uint64_t address, void* data, std::uint64_t bytes) {
        for_pieces(address, bytes, [&](const Page& page, std::uint64_t at, std::uint64_t count, std::uint64_t done) {
            std::memcpy(static_cast<unsigned char*>(data) + done, page.value.data() + at, count);
        });
    }
    // A byte that was never set stays so in its copy, though the copy is known.
    void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        std::vector<unsigned char> values(bytes);
        std::vector<bool> set_ones(bytes);
        get(from, values.data(), bytes);
        for (std::uint64_t i = 0; i < bytes; ++i) set_ones[i] = is_set(from + i, 1);
        set(to, values.data(), bytes);
        for (std::uint64_t i = 0; i < bytes; ++i) {
            if (!set_ones[i]) page(to + i).epoch[(to + i) % page_bytes] |= unset_bit;
        }
    }

private:
    static constexpr std::uint64_t page_bytes = 4096, cached = 64;
    static constexpr std::uint32_t unset_bit = 0x8000'0000U, always = 0x7fff'ffffU;
    struct Page {
        std::array<unsigned char, page_bytes> value{};
        std::array<std::uint32_t, page_bytes> epoch{};
    };

    // Calls action(page, offset in it, bytes there, bytes before) for each page of the range.
    template <class Action>
    void for_pieces(std::uint64_t address, std::uint64_t bytes, const Action& action) {
        for (std::uint64_t done = 0; done < bytes;) {
            const std::uint64_t at = (address + done) % page_bytes;
            const std::uint64_t count = std::min(bytes - done, page_bytes - at);
            action(page(address + done), at, count, done);
            done += count;
        }
    }

    template <bool and_set>
    bool all_are(std::uint64_t address, std::uint64_t bytes) {
        bool all = true;
        for_pieces(address, bytes, [&](const Page& page, std::uint64_t at, std::uint64_t count, std::uint64_t) {
            for (std::uint64_t i = at; i < at + count; ++i) {
                const std::uint32_t known = page.epoch[i] & ~unset_bit;
                const bool good = (known == always || known == epoch_) && (!and_set || (page.epoch[i] & unset_bit) == 0);
                all = all && good;
            }
        });
        return all;
    }

    Page& page(std::uint64_t address) {
        const std::uint64_t number = address / page_bytes;
        auto& [cached_number, cached_page] = cache_[number % cached];
        if (cached_page != nullptr && cached_number == number) return *cached_page;
        auto& its = pages_[number];
        if (its == nullptr) its = std::make_unique<Page>();
        cached_number = number;
        cached_page = its.get();
        return *its;
    }

    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    std::array<std::pair<std::uint64_t, Page*>, cached> cache_{};
    std::uint32_t epoch_ = 1;
};

}  // namespace tmon_flowback
