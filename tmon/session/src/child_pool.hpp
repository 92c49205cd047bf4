// Many simulations, each in a process of its own, some of them at once; what they give back comes in the order of their
// numbers, whichever ended first. To be called before anything of SystemC is made in this process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace tmon_session {

struct ChildAnswer {
    enum class How { NotRun, Done, Failed };
    How how = How::NotRun;
    std::string bytes;    // of Done: what the work returned
    std::string failure;  // of Failed: the message
};

inline constexpr std::size_t children_at_once = 2;

// `work`: of number 0 to count - 1, in the child; it may start children of its own. `go_on`: with the number of those that have
// ended, whenever one ends and ten times a second; false: those that run are ended, and no other is begun. Ctrl-C reaches this
// process and not the children. Throws std::runtime_error when the host has no process or no pipe left.
std::vector<ChildAnswer> run_children(std::size_t count, const std::function<std::string(std::size_t)>& work,
                                      const std::function<bool(std::size_t)>& go_on, std::size_t at_once = children_at_once);

// Plain data as bytes and back: child and parent are the same program.
class Bytes {
public:
    Bytes() = default;
    explicit Bytes(std::string bytes) : bytes_(std::move(bytes)) {}
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <class T>
    void put_all(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put(values.size());
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    template <class T>
    T get() {
        T value{};
        take(&value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> get_all() {
        std::vector<T> values(get<std::size_t>());
        take(values.data(), values.size() * sizeof(T));
        return values;
    }
    std::string take_bytes() { return std::move(bytes_); }

private:
    void take(void* to, std::size_t count);
    std::string bytes_;
    std::size_t at_ = 0;
};

}  // namespace tmon_session
