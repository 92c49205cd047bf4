// Bytes: plain data, lists of it and texts as one text, and back in the same order. For another process of the same program.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <vocabulary/contract.hpp>

namespace forks {

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
    void put_text(const std::string& text) {
        put(text.size());
        bytes_ += text;
    }

    // Precondition of each: there is as much left. Assign a value that is to be the base of something, and do not initialise
    // with it. The compiler may build it in place, and all its bytes are written. Those at its end may hold members of the
    // derived object.
    template <class T>
    T get() {
        T value{};
        take(&value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> get_all() {
        const std::size_t count = get<std::size_t>();
        EXPECTS(count <= left() / sizeof(T), "bytes.get_all");  // before so much memory is asked for
        std::vector<T> values(count);
        take(values.data(), count * sizeof(T));
        return values;
    }
    std::string get_text();

    std::string take_bytes() { return std::move(bytes_); }

private:
    std::size_t left() const { return bytes_.size() - at_; }
    void take(void* to, std::size_t bytes);

    std::string bytes_;
    std::size_t at_ = 0;
};

}  // namespace forks
