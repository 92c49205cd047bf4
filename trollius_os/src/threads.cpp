// Threads: the library's half. The kernel's half is its process table (processes.cpp).
#include <utility>

#include <trollius_os/calls.hpp>

namespace trollius_os {

Task<Process*> Calls::kpar(Weight weight, std::uint64_t stack_bytes, ProcessCode code) {
    if (weight != Weight::Light) port_.charge(kernel_.half_);
    co_await settle();
    Process& process = process_.owner_ == nullptr ? process_ : *process_.owner_;
    co_return kernel_.create({.name = process.name(),
                              .kernel_priority = process.kernel_priority(),
                              .stack_bytes = stack_bytes,
                              .code = std::move(code),
                              .thread_of = &process,
                              .heavy = weight == Weight::Heavy});
}

Task<> Calls::end_threads() {
    if (!kernel_.has_threads(process_)) co_return;
    co_await settle();
    kernel_.end_threads(process_, nullptr);
}

}  // namespace trollius_os
