// Bytes: packs plain data, lists of it and texts into one text, and unpacks them in the same order. For another process of the
// same program.
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

    // Precondition of each: that many bytes are left. Assign the result to a base subobject; never initialise the base from
    // it. With guaranteed elision the copy would overwrite derived members in the base's tail padding.
    template <class T>
    T get() {
        T value{};
        take(&value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> get_all() {
        const std::size_t count = get<std::size_t>();
        EXPECTS(count <= left() / sizeof(T), "bytes.get_all");  // before the memory is allocated
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
