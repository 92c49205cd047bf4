// RouteTable: the link towards each node. Half a byte a node, because every node has one: with optionals, 16 384 nodes would
// take half a gigabyte. Index: NodeId, the host last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include <vocabulary/contract.hpp>
#include <vocabulary/ids.hpp>

namespace trollius_os {

class RouteTable {
public:
    using Link = std::optional<vocabulary::LinkNo>;  // empty for the node itself and for unreachable nodes

    RouteTable() = default;
    explicit RouteTable(std::size_t nodes) : size_(nodes), pairs_((nodes + 1) / 2, std::uint8_t{none << 4 | none}) {}
    explicit RouteTable(std::span<const Link> links) : RouteTable(links.size()) {
        for (std::size_t node = 0; node < size_; ++node) set(node, links[node]);
    }
    RouteTable(std::initializer_list<Link> links) : RouteTable(std::span<const Link>(links.begin(), links.size())) {}

    std::size_t size() const { return size_; }
    Link operator[](std::size_t node) const {
        EXPECTS(node < size_, "route_table.node");
        const unsigned number = pairs_[node / 2] >> shift(node) & none;
        return number == none ? Link() : Link(static_cast<vocabulary::LinkNo::value_type>(number));
    }
    void set(std::size_t node, Link link) {
        EXPECTS(node < size_ && (!link || link->value() < none), "route_table.set");
        const unsigned number = link ? link->value() : none;
        std::uint8_t& pair = pairs_[node / 2];
        pair = static_cast<std::uint8_t>((pair & ~(none << shift(node))) | number << shift(node));
    }
    bool operator==(const RouteTable&) const = default;

private:
    static constexpr unsigned none = 0xf;  // no link
    static unsigned shift(std::size_t node) { return node % 2 * 4; }

    std::size_t size_ = 0;
    std::vector<std::uint8_t> pairs_;
};

}  // namespace trollius_os
