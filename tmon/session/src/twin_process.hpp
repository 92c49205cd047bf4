// TwinProcess: a run in a child process with which the parent exchanges plain data both ways while it lasts. As
// run_in_child.hpp, for two runs at once.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace tmon_session {

class Exchange {
public:
    explicit Exchange(int socket) : socket_(socket) {}
    // False: the other side has ended.
    bool write(const void* data, std::size_t bytes);
    bool read(void* data, std::size_t bytes);

    template <class T>
    bool put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return write(&value, sizeof value);
    }
    template <class T>
    bool get(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return read(&value, sizeof value);
    }
    template <class T>
    bool put(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        return put(std::uint64_t{values.size()}) && write(values.data(), values.size() * sizeof(T));
    }
    template <class T>
    bool get(std::vector<T>& values) {
        std::uint64_t count = 0;
        if (!get(count)) return false;
        values.resize(count);
        return read(values.data(), count * sizeof(T));
    }
    bool put(const std::string& text) { return put(std::vector<char>(text.begin(), text.end())); }
    bool get(std::string& text) {
        std::vector<char> letters;
        if (!get(letters)) return false;
        text.assign(letters.begin(), letters.end());
        return true;
    }

protected:
    int socket_;
};

class TwinProcess : public Exchange {
public:
    // `work` runs in the child; what it throws is printed there, and the child fails.
    explicit TwinProcess(const std::function<void(Exchange&)>& work);
    ~TwinProcess();
    TwinProcess(const TwinProcess&) = delete;
    TwinProcess& operator=(const TwinProcess&) = delete;
    bool succeeded();  // waits for its end

private:
    pid_t child_ = -1;
    bool ended_ = false, succeeded_ = false;
};

}  // namespace tmon_session
