// RecordList: a growing list of plain records that is read from front to back. Its first blocks stay in memory, and later ones
// go to a ScratchFile, so the memory in use is bounded. Where the host has no room for a block on disk, it stays in memory too.
//
// Cost: a copy of the record. Each block of 256 KiB beyond the bound costs a system call when it is written, and one whenever
// it is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

#include <scratch/scratch_file.hpp>

namespace scratch {

template <class Record>
class RecordList {
    static_assert(std::is_trivially_copyable_v<Record> && alignof(Record) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

public:
    static constexpr std::size_t block_bytes = std::size_t{1} << 18, records_in_block = block_bytes / sizeof(Record);

    // For a list that does not grow meanwhile. A reference is valid until its iterator moves on. Throws vocabulary::HostError
    // when a block cannot be read back.
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Record;
        using difference_type = std::ptrdiff_t;
        using pointer = const Record*;
        using reference = const Record&;

        Iterator() = default;
        reference operator*() const { return *at_; }
        pointer operator->() const { return at_; }
        Iterator& operator++() {
            ++index_;
            if (++at_ == block_end_) enter();
            return *this;
        }
        Iterator operator++(int) {
            Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

    private:
        friend class RecordList;
        Iterator(const RecordList& list, std::size_t index) : list_(&list), index_(index) { enter(); }
        void enter() {  // the block that begins at index_
            at_ = block_end_ = nullptr;
            if (index_ < list_->size_) list_->show(index_ / records_in_block, *this);
        }

        const RecordList* list_ = nullptr;
        std::size_t index_ = 0;
        const Record *at_ = nullptr, *block_end_ = nullptr;
        std::shared_ptr<std::byte[]> read_;  // a block of the file; copies of the iterator share it
    };

    // `most_in_memory`: bytes of whole blocks.
    explicit RecordList(std::size_t most_in_memory = std::size_t{2} << 20) : most_blocks_(most_in_memory / block_bytes) {}

    void push_back(const Record& record) {
        if (next_ == last_end_) [[unlikely]]
            next_block();
        *next_++ = record;
        ++size_;
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const {
        Iterator end;
        end.index_ = size_;
        return end;
    }

private:
    // Bytes, since pages of the host that no record uses must not be touched.
    using Room = std::unique_ptr<std::byte[]>;
    struct Block {
        Room room;  // nullptr: in the file
        std::uint64_t offset = 0;
    };
    static std::size_t full() { return records_in_block * sizeof(Record); }

    void next_block() {
        Room room;
        if (!blocks_.empty() && in_memory_ > most_blocks_) room = moved_to_file(blocks_.back());
        if (room == nullptr) {
            room.reset(new std::byte[full()]);
            ++in_memory_;
        }
        next_ = reinterpret_cast<Record*>(room.get());
        last_end_ = next_ + records_in_block;
        blocks_.push_back({std::move(room), 0});
    }

    // The block's room, to be used again; nullptr when it stays in memory.
    Room moved_to_file(Block& block) {
        try {
            block.offset = file_.append(block.room.get(), full());
        } catch (const std::exception&) {
            return nullptr;
        }
        return std::move(block.room);
    }

    void show(std::size_t number, Iterator& at) const {
        const Block& block = blocks_[number];
        const std::byte* bytes = block.room.get();
        if (bytes == nullptr) {
            at.read_.reset(new std::byte[full()]);
            file_.read(block.offset, at.read_.get(), full());
            bytes = at.read_.get();
        }
        const auto* first = reinterpret_cast<const Record*>(bytes);
        at.at_ = first;
        at.block_end_ = first + std::min(records_in_block, size_ - number * records_in_block);
    }

    std::size_t most_blocks_, in_memory_ = 0, size_ = 0;
    Record *next_ = nullptr, *last_end_ = nullptr;  // in the last block
    std::vector<Block> blocks_;
    ScratchFile file_;
};

}  // namespace scratch
