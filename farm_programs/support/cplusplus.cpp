// For programs in C++: operators new and delete, and the memory of exceptions, from the node.
#include <cstdlib>
#include <cstring>
#include <new>

#include "trek_support_own.h"

namespace {

void* allocate(std::size_t bytes, std::size_t alignment) {
    void* block = std::aligned_alloc(alignment, bytes);
    if (block != nullptr) return block;
    if (trek_own.table != nullptr) trek_own.table->no_memory(bytes);
    throw std::bad_alloc();
}
constexpr std::size_t usual = 16;

}  // namespace

void* operator new(std::size_t bytes) {
    return allocate(bytes, usual);
}
void* operator new[](std::size_t bytes) {
    return allocate(bytes, usual);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return std::malloc(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return std::malloc(bytes);
}
void operator delete(void* block) noexcept {
    std::free(block);
}
void operator delete[](void* block) noexcept {
    std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
void operator delete[](void* block, std::size_t) noexcept {
    std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
    std::free(block);
}
void operator delete[](void* block, std::align_val_t) noexcept {
    std::free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    std::free(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
    std::free(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
    std::free(block);
}
void operator delete[](void* block, const std::nothrow_t&) noexcept {
    std::free(block);
}

// Instead of the library's, which sets 72 kbytes aside for exceptions when the program is loaded; they would be part of the
// globals that every process has a copy of. The header of an exception is 128 bytes (C++ ABI for x86-64 as in GCC).
namespace {
constexpr std::size_t exception_header = 128;
}
extern "C" {
void* __cxa_allocate_exception(std::size_t bytes) noexcept {
    void* block = std::malloc(bytes + exception_header);
    if (block == nullptr) std::abort();
    std::memset(block, 0, exception_header);
    return static_cast<char*>(block) + exception_header;
}
void __cxa_free_exception(void* exception) noexcept {
    std::free(static_cast<char*>(exception) - exception_header);
}
void* __cxa_allocate_dependent_exception() noexcept {
    void* block = std::calloc(1, exception_header);
    if (block == nullptr) std::abort();
    return block;
}
void __cxa_free_dependent_exception(void* exception) noexcept {
    std::free(exception);
}
}
