// The memory of an emulated interval: what is known of each byte, as the recorder knew it (flowback_log::Recorder).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>

#include <tmon_flowback/emulation.hpp>

namespace tmon_flowback {

// Local variables that no pointer leads to lie here; no process has such addresses.
inline constexpr std::uint64_t first_local = 0x7000'0000'0000'0000;

class Emulation::Memory {
public:
    void forget_all() { ++epoch_; }

    bool knows(std::uint64_t address, std::uint64_t bytes) {
        for (std::uint64_t i = 0; i < bytes; ++i) {
            if (!is_known(address + i)) return false;
        }
        return true;
    }
    bool is_set(std::uint64_t address, std::uint64_t bytes) {
        for (std::uint64_t i = 0; i < bytes; ++i) {
            Page& its = page(address + i);
            if (!is_known(address + i) || (its.epoch[(address + i) % page_bytes] & unset_bit) != 0) return false;
        }
        return true;
    }
    void forget(std::uint64_t address, std::uint64_t bytes) {
        for (std::uint64_t i = 0; i < bytes; ++i) page(address + i).epoch[(address + i) % page_bytes] = 0;
    }
    void set(std::uint64_t address, const void* data, std::uint64_t bytes) {
        const auto* from = static_cast<const unsigned char*>(data);
        for (std::uint64_t i = 0; i < bytes; ++i) put(address + i, from[i], false);
    }
    void get(std::uint64_t address, void* data, std::uint64_t bytes) {
        auto* to = static_cast<unsigned char*>(data);
        for (std::uint64_t i = 0; i < bytes; ++i) to[i] = page(address + i).value[(address + i) % page_bytes];
    }
    void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        std::vector<std::pair<unsigned char, bool>> all;
        for (std::uint64_t i = 0; i < bytes; ++i)
            all.emplace_back(page(from + i).value[(from + i) % page_bytes], !is_set(from + i, 1));
        for (std::uint64_t i = 0; i < bytes; ++i) put(to + i, all[i].first, all[i].second);
    }

private:
    static constexpr std::uint64_t page_bytes = 4096;
    static constexpr std::uint32_t unset_bit = 0x8000'0000U, always = 0x7fff'ffffU;
    struct Page {
        std::array<unsigned char, page_bytes> value{};
        std::array<std::uint32_t, page_bytes> epoch{};
    };

    bool is_known(std::uint64_t address) {
        const std::uint32_t epoch = page(address).epoch[address % page_bytes] & ~unset_bit;
        return epoch == always || epoch == epoch_;
    }
    void put(std::uint64_t address, unsigned char value, bool unset) {
        Page& its = page(address);
        its.value[address % page_bytes] = value;
        its.epoch[address % page_bytes] = (address >= first_local ? always : epoch_) | (unset ? unset_bit : 0);
    }
    Page& page(std::uint64_t address) {
        const std::uint64_t number = address / page_bytes;
        if (number == last_number_) return *last_;
        auto& its = pages_[number];
        if (its == nullptr) its = std::make_unique<Page>();
        last_number_ = number;
        last_ = its.get();
        return *last_;
    }

    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    std::uint64_t last_number_ = ~std::uint64_t{0};
    Page* last_ = nullptr;
    std::uint32_t epoch_ = 1;
};

}  // namespace tmon_flowback
