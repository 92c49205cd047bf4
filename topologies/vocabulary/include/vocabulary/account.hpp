// Account: the owner of a cost in processor cycles, link bytes or link time. Hardware and kernel sum by account and do not know
// what an account stands for. Each layer names the numbers it uses.
//
// Numbers 0 to 2 belong to the work itself; 0 is the default. The others belong to tools, which a run could do without. A tool
// that sends messages owns two consecutive numbers. The first pays for its messages at both ends, the second on nodes that
// forward them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <vocabulary/ids.hpp>

namespace vocabulary {

using Account = Id<struct AccountTag, std::uint8_t>;  // 0 ... accounts - 1
inline constexpr std::size_t accounts = 16;

constexpr bool is_tool(Account account) {
    return account.value() > 2;
}
// The account that pays on nodes that forward messages of `account`.
constexpr Account in_transit(Account account) {
    return is_tool(account) ? Account((account.value() + 1) % accounts) : Account();
}

// One value for each account.
template <class Value>
class ByAccount {
public:
    Value& operator[](Account account) { return values_[account.value()]; }
    const Value& operator[](Account account) const { return values_[account.value()]; }
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }

private:
    std::array<Value, accounts> values_{};
};

}  // namespace vocabulary
