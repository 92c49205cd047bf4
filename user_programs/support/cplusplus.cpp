// For programs in C++: operators new and delete, and the memory of exceptions, from the node.
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <random>
#include <string>

#include "program_support_own.h"

namespace {

void* allocate(std::size_t bytes, std::size_t alignment) {
    void* block = std::aligned_alloc(alignment, bytes);
    if (block != nullptr) return block;
    if (program_own.common != nullptr) program_own.common->no_memory(bytes);
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

// Replaces the library's functions, which set 72 kbytes aside for exceptions when the program is loaded. These would be part of
// the globals that every process has a copy of. The header of an exception is 128 bytes (C++ ABI for x86-64 as in GCC).
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
abi::__cxa_dependent_exception* __cxa_allocate_dependent_exception() noexcept {
    void* block = std::calloc(1, exception_header);
    if (block == nullptr) std::abort();
    return static_cast<abi::__cxa_dependent_exception*>(block);
}
void __cxa_free_dependent_exception(abi::__cxa_dependent_exception* exception) noexcept {
    std::free(exception);
}
}

// Replaces the library's handler, which prints to the host and aborts. An exception that nobody catches ends here.
namespace {

// "int 7", "std::runtime_error: no room"
void name_exception(char* text, std::size_t room) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    int status = -1;
    char* const readable = type == nullptr ? nullptr : abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
    const char* const name = status == 0 ? readable : type == nullptr ? "an exception of another language" : type->name();
    try {
        throw;
    } catch (const std::exception& error) {
        std::snprintf(text, room, "%s: %s", name, error.what());
    } catch (const char* words) {
        std::snprintf(text, room, "%s \"%s\"", name, words);
    } catch (const std::string& words) {
        std::snprintf(text, room, "std::string \"%s\"", words.c_str());
    } catch (int number) {
        std::snprintf(text, room, "%s %d", name, number);
    } catch (...) {
        std::snprintf(text, room, "%s", name);
    }
}

}  // namespace

extern "C" uint32_t arc4random(void) noexcept;

namespace __gnu_cxx {
void __verbose_terminate_handler() {
    if (abi::__cxa_current_exception_type() == nullptr && std::current_exception() == nullptr)
        program_end("calls std::terminate()", nullptr);
    char exception[300], what[400];
    name_exception(exception, sizeof exception);
    std::snprintf(what, sizeof what, "throws %s, and it is never caught", exception);
    program_end(what, program_catch_it);
}
}  // namespace __gnu_cxx

// The program's vtables name these, and would otherwise find them in the library that Magicwire itself uses.
extern "C" {
void __cxa_pure_virtual() {
    program_end("calls a pure virtual function", "look for such a call in a constructor or destructor");
}
void __cxa_deleted_virtual() {
    program_end("calls a deleted virtual function", nullptr);
}
}

// Replaces the library's device, which asks the host's processor.
namespace std {
void random_device::_M_init(const string&) {}
void random_device::_M_init_pretr1(const string&) {}
void random_device::_M_init(const char*, size_t) {}
void random_device::_M_fini() {}
random_device::result_type random_device::_M_getval() {
    return ::arc4random();
}
random_device::result_type random_device::_M_getval_pretr1() {
    return _M_getval();
}
double random_device::_M_getentropy() const noexcept {
    return 0;
}
}  // namespace std
