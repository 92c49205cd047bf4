#include <tmon_order/collectives.hpp>

#include <optional>

#include <vocabulary/contract.hpp>

namespace tmon_order {
namespace {

// Room in a key for each of a group's pairs: the lower half has the sending rank.
Key key_of(const CollectiveRecord& record, std::uint64_t detail) {
    constexpr std::uint64_t collective = std::uint64_t{1} << 63;
    return {collective | std::uint64_t{record.group_id} << 24 | detail, record.instance};
}

End whole_group(const CollectiveRecord& record, Shape shape, Role role) {
    End end;
    end.key = key_of(record, 0xFF'FFFF);
    end.role = role;
    end.shape = shape;
    end.channel = {std::uint64_t{1} << 63 | record.group_id, ~std::uint64_t{0}};
    end.number = record.instance;
    end.source_may_be_unrecorded = record.may_be_unrecorded;
    end.group = record.group;
    end.rank = record.rank;
    end.root = record.root;
    return end;
}

// A value that goes from one member to another.
End between(const CollectiveRecord& record, Role role, std::uint32_t from, std::uint32_t to) {
    End end;
    end.key = key_of(record, from);
    end.role = role;
    end.channel = {std::uint64_t{1} << 63 | record.group_id, std::uint64_t{from} << 32 | to};
    end.number = record.instance;
    end.from = (*record.group)[from];
    end.to = (*record.group)[to];
    return end;
}

std::vector<End> of_chain(const CollectiveRecord& record, bool cyclic) {
    const auto size = static_cast<std::uint32_t>(record.group->size());
    const std::uint32_t before = record.rank > 0 ? record.rank - 1 : size - 1, after = (record.rank + 1) % size;
    if (record.end) {
        if (record.rank == 0 && !cyclic) return {};
        return {between(record, Role::Target, before, record.rank)};
    }
    if (record.rank == size - 1 && !cyclic) return {};
    return {between(record, Role::Source, record.rank, after)};
}

}  // namespace

std::vector<End> ends_of(const CollectiveRecord& record) {
    EXPECTS(record.group != nullptr && record.rank < record.group->size() && record.root < record.group->size() &&
                record.partner < record.group->size() && record.group->size() < 0xFF'FFFF,
            "collectives.ranks");
    if (record.group->size() < 2) return {};
    const bool is_root = record.rank == record.root;
    switch (record.operation) {
        case Operation::Multicast:
            if (is_root == record.end) return {};
            return {whole_group(record, Shape::FromRoot, is_root ? Role::Source : Role::Target)};
        case Operation::Combine:
        case Operation::Concatenate:
            if (is_root != record.end) return {};
            return {whole_group(record, Shape::ToRoot, is_root ? Role::Target : Role::Source)};
        case Operation::Prefix:
            return of_chain(record, false);
        case Operation::Shift:
            return of_chain(record, record.cyclic);
        case Operation::Exchange:
            if (record.partner == record.rank) return {};
            if (record.end) return {between(record, Role::Target, record.partner, record.rank)};
            return {between(record, Role::Source, record.rank, record.partner)};
        case Operation::Barrier:
        case Operation::AllToAll:
            break;
    }
    return {whole_group(record, Shape::AllToAll, record.end ? Role::Target : Role::Source)};
}

}  // namespace tmon_order
