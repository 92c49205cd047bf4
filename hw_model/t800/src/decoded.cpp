#include <decoded.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <instruction_table.hpp>
#include <run.hpp>

namespace t800_core {

void Decoded::Free::operator()(void* memory) const {
    std::free(memory);
}

Decoded::Decoded(std::uint32_t memory_size)
    : ops_(first_ops),
      table_(first_table),
      marks_owner_(static_cast<std::uint8_t*>(std::calloc(memory_size / 4, 1))),
      marks_(marks_owner_.get()),
      memory_size_(memory_size) {
    if (marks_ == nullptr) throw std::bad_alloc();
}

bool Decoded::forget_all() {
    for (const auto& [first, last] : ranges_) std::memset(marks_ + first / 4, 0, last / 4 - first / 4 + 1);
    ranges_.clear();
    std::fill(table_.begin(), table_.end(), Entry{});
    used_ = 1;
    ++generation_;
    return true;
}

void Decoded::forget(std::uint32_t offset, std::size_t count) {
    if (count == 0 || offset >= memory_size_) return;
    const std::size_t last = std::min<std::size_t>(offset + count - 1, memory_size_ - 1);
    if (std::memchr(marks_ + offset / 4, 1, last / 4 - offset / 4 + 1) != nullptr) forget_all();
}

std::size_t Decoded::bytes() const {
    return ops_.size() * sizeof(Op) + table_.size() * sizeof(Entry) + ranges_.capacity() * sizeof(ranges_[0]);
}

bool read_instruction(const std::byte* memory, std::uint32_t size, std::uint32_t offset, std::uint32_t most,
                      Instruction& into) {
    std::uint32_t operand = 0;
    for (std::uint32_t length = 1; length <= most && offset < size; ++length, ++offset) {
        const auto byte = std::to_integer<std::uint8_t>(memory[offset]);
        operand |= byte & 0xFU;
        if (byte >> 4 == 2) {
            operand <<= 4;
        } else if (byte >> 4 == 6) {
            operand = ~operand << 4;
        } else {
            into = {operand, length, static_cast<std::uint8_t>(byte >> 4)};
            return true;
        }
    }
    return false;
}

// Full again after few instructions: the program's loops do not fit, and decoding would take longer than running.
void Decoded::make_room(std::uint64_t instructions) {
    static constexpr std::uint64_t few = 1'000'000;
    forget_all();
    if (instructions - filled_at_ < few && generation_ > 1 && ops_.size() < first_ops * most_growth) {
        ops_.resize(ops_.size() * 2);
        table_.assign(table_.size() * 2, {});
        mask_ = static_cast<std::uint32_t>(table_.size() - 1);
    }
    filled_at_ = instructions;
}

void Decoded::remember(std::uint32_t offset, std::uint32_t block) {
    const std::size_t slot = slot_of(offset);
    const bool first = table_[slot].block == 0 || table_[slot ^ 1U].block != 0;
    table_[first ? slot : slot ^ 1U] = {offset, block};
}

std::uint32_t Decoded::decode(Core::State& s, std::uint32_t offset) {
    static constexpr std::uint32_t most_length = 16;  // longer ones are read by steps
    if (used_ + most_block + 2 > ops_.size() || ranges_.size() >= table_.size()) make_room(s.instructions);
    const std::uint32_t head = used_;
    std::uint32_t at = offset, cycles = 0, most = 0, count = 0;
    Flow flow = Flow::On;
    Instruction instruction;
    while (flow == Flow::On && count < most_block && read_instruction(s.mem, s.size, at, most_length, instruction)) {
        at += instruction.length;
        ++count;
        Op& op = ops_[head + count];
        op = Op{};
        flow = fill(op, instruction, at, s.settings, most);
        op.before = static_cast<std::uint16_t>(cycles);
        op.after = static_cast<std::uint16_t>(at - offset);
        op.count = static_cast<std::uint8_t>(count);
        cycles += op.cycles;
    }
    if (count == 0) return 0;
    used_ = head + count + 1;
    if (flow == Flow::On) {
        ops_[used_] = Op{};
        ops_[used_].run = run_on;
        ops_[used_].operand = at;
        ops_[used_].before = static_cast<std::uint16_t>(cycles);
        ops_[used_++].count = static_cast<std::uint8_t>(count);
    }
    ops_[head] = Op{};
    ops_[head].run = enter;
    ops_[head].link = cycles + most;
    std::memset(marks_ + offset / 4, 1, (at - 1) / 4 - offset / 4 + 1);
    ranges_.emplace_back(offset, at - 1);
    remember(offset, head);
    return head;
}

}  // namespace t800_core
