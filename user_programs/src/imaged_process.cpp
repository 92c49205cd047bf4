// Images of a process: how one is made, and how a process begins from it.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <user_programs/program_process.hpp>
#include <user_programs/system_fence.hpp>
#include <vocabulary/errors.hpp>

#include "../support/program_support.h"
#include "program_module.hpp"

namespace user_programs {
namespace {

constexpr std::size_t block_header = 8;           // as allocate() counts it
constexpr std::size_t room_to_begin = 16 * 1024;  // below the image's own part of the stack

// AddressSanitizer marks the gaps between variables of a frame, which belong to an image like the rest.
[[gnu::no_sanitize_address]] void copy_stack(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) *static_cast<volatile std::byte*>(to + i) = from[i];
}

// Frames that the C library guards check this word at their end.
[[gnu::no_sanitize_address]] void renew_guards(std::byte* from, std::size_t bytes, std::uint64_t old_one,
                                               std::uint64_t new_one) {
    for (std::size_t at = 0; at + sizeof old_one <= bytes; at += sizeof old_one) {
        auto* const word = reinterpret_cast<volatile std::uint64_t*>(from + at);
        if (*word == old_one) *word = new_one;
    }
}

// Runs below everything that it writes.
[[noreturn, gnu::noinline]] void land(std::byte* stack, const ProcessImage* its) {
    const ProcessImage& image = *its;
    copy_stack(stack, image.stack.data(), image.stack.size());
    renew_guards(stack, image.stack.size(), image.guard, ProcessImage::frame_guard());
    const std::uint32_t modes = image.registers.modes;
    const auto old_modes = static_cast<std::uint16_t>(image.registers.old_modes);
    __builtin_ia32_ldmxcsr(modes);
    asm volatile("fldcw %0" : : "m"(old_modes));
    SystemFence::close();
    asm volatile(
        "movq %%rax, %%rbp\n\t"
        "movq %%rdx, %%rsp\n\t"
        "jmpq *%%rcx"
        :
        : "a"(image.registers.frame), "c"(image.registers.instruction), "d"(image.registers.stack)
        : "memory");
    __builtin_unreachable();
}

}  // namespace

// The support code's table has addresses of this host process, and what is not charged yet. It is written anew at each
// beginning.
void ProgramProcess::forget_support(ProcessImage::Bytes& data) const {
    const auto at = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(module_.support) - module_.data);
    if (at + sizeof(program_support) > data.size()) return;  // it lies among the pages that hold zeros at first
    std::memset(&data[at], 0, sizeof(program_support));
}

std::string ProgramProcess::image_obstacle() const {
    const auto here = reinterpret_cast<std::uintptr_t>(memory_->stack.bottom());
    const std::byte* const entry = memory_->stack.entry();
    if (entry == nullptr || entry >= memory_->stack.top()) return "it runs on a stack of its own";
    if (reinterpret_cast<std::uintptr_t>(entry) < here + 2 * room_to_begin) return "its stack is nearly used up";
    if (memory_->saved.use_count() > 1) return "it has threads";
    for (const NodeHeap::Live& block : module_.memory.heap(node_).live_blocks())
        if (block.owner != owner_) return "other processes have memory on its node";
    return {};
}

ProcessImage ProgramProcess::image(const ProcessImage::Registers& registers) const {
    const Globals now = module_.current_globals();
    ProcessImage its;
    its.addresses = ProcessImage::addresses_of(program_);
    its.guard = ProcessImage::frame_guard();
    its.registers = registers;
    its.data_at = reinterpret_cast<std::uintptr_t>(module_.data) - module_.load_address;
    its.data = now.data;
    forget_support(its.data);
    its.startup = now.startup;
    its.thread = module_.current_thread();
    for (const auto& [at, page] : now.zeroed) its.zeroed.emplace_back(at, page);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the stack
    const auto* const from = reinterpret_cast<const std::byte*>(registers.stack);
    if (from < memory_->stack.bottom() || from >= memory_->stack.top())
        throw vocabulary::RequestError("program " + program_.path() + " asks for an image with registers that are not its own");
    its.stack.resize(static_cast<std::size_t>(memory_->stack.top() - from));
    copy_stack(its.stack.data(), from, its.stack.size());
    for (const NodeHeap::Live& block : module_.memory.heap(node_).live_blocks())
        its.blocks.push_back({reinterpret_cast<std::uintptr_t>(block.at), block.bytes,
                              ProcessImage::Bytes(block.at, block.at + block.content_bytes)});
    for (const std::span<const std::byte> gap : module_.memory.heap(node_).old_bytes())
        its.gaps.emplace_back(reinterpret_cast<std::uintptr_t>(gap.data()), ProcessImage::Bytes(gap.begin(), gap.end()));
    for (std::size_t i = 0; i < std::min(words_lent_, lent_.size()); ++i) {
        const auto* const word = static_cast<const std::byte*>(lent_[i]);
        its.words.emplace_back(reinterpret_cast<std::uintptr_t>(word),
                               ProcessImage::Bytes(word, word + module_.memory.messages(node_).block_bytes(word)));
    }
    its.unfinished_line = unfinished_line_;
    its.error = error_;
    if (!its.may_point_to(its.addresses.variables, its.addresses.variables + its.thread.size())) its.addresses.variables = 0;
    return its;
}

// On the caller's stack, before anything of the process has run.
void ProgramProcess::put_back() {
    const ProcessImage& its = *image_;
    if (!its.addresses.fit(ProcessImage::addresses_of(program_)))
        throw vocabulary::RequestError("the image of a process was made with program " + program_.path() +
                                       " at other addresses");
    if (its.data.size() != memory_->saved->data.size() || its.thread.size() != memory_->thread.size())
        throw vocabulary::RequestError("the image of a process is of another program than " + program_.path());
    ZeroedArea::Pages pages;
    for (const auto& [at, page] : its.zeroed) pages.emplace_back(at, page);
    *memory_->saved = Globals{its.data, std::move(pages), its.startup};
    memory_->thread = its.thread;
    NodeHeap& heap = module_.memory.heap(node_);
    module_.memory.open_only(node_);
    for (const auto& [at, bytes] : its.gaps)
        if (!heap.put_old_bytes(at, bytes)) throw vocabulary::RequestError("the image of a process has memory of another node");
    for (const ProcessImage::Block& block : its.blocks) {
        if (!environment_->take_memory(block.bytes + block_header) || !heap.place(block.at, block.bytes, block.content, owner_))
            throw vocabulary::RequestError("the image of a process finds no room on n" + std::to_string(node_.value()));
    }
    unfinished_line_ = its.unfinished_line;
    error_ = its.error;
}

// The process may have changed them, and pointers to them are part of the image. They lie where they lay.
void ProgramProcess::put_words_back() {
    const auto is_word = [this](std::uint64_t at, std::size_t bytes) {
        return std::any_of(lent_.begin(), lent_.end(), [&](const void* its) {
            return reinterpret_cast<std::uintptr_t>(its) == at && module_.memory.messages(node_).block_bytes(its) == bytes;
        });
    };
    for (const auto& [at, bytes] : image_->words) {
        if (!is_word(at, bytes.size()))
            throw vocabulary::RequestError("the image of a process has other words of the command than " + program_.path() +
                                           " now");
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that was lent
        std::memcpy(reinterpret_cast<std::byte*>(at), bytes.data(), bytes.size());
    }
}

// The frames of Magicwire on this stack are overwritten by those of the image. Nobody returns to either, as such a process ends
// by a call.
void ProgramProcess::resume_image() {
    std::byte* const stack = memory_->stack.top() - image_->stack.size();
    std::byte* below = stack - room_to_begin;
    below -= reinterpret_cast<std::uintptr_t>(below) % 16;
    asm volatile(
        "movq %%rax, %%rsp\n\t"
        "xorl %%ebp, %%ebp\n\t"
        "call *%%rcx"
        :
        : "a"(below), "c"(&land), "D"(stack), "S"(image_.get())
        : "memory");
    __builtin_unreachable();
}

}  // namespace user_programs
