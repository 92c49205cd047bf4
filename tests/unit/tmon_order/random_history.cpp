#include "random_history.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

namespace testing_support {
namespace {

using tmon_order::CollectiveRecord;
using tmon_order::End;
using tmon_order::Group;
using tmon_order::Operation;
using tmon_order::Role;

class Maker {
public:
    explicit Maker(const HistoryChoice& choice) : choice_(choice), random_(choice.seed) {}

    History make() {
        history_.streams = 2 + below(choice_.most_streams - 1);
        newest_.assign(history_.streams, no_record);
        numbers_.assign(history_.streams, 0);
        clock_.assign(history_.streams, 0);
        for (auto& clock : clock_) clock = below(100'000);
        make_groups();
        const std::uint32_t operations = 1 + below(choice_.most_operations);
        for (std::uint32_t i = 0; i < operations; ++i) {
            if (!choice_.collectives || below(2) == 0) {
                message();
            } else {
                collective();
            }
            while (!later_.empty() && below(3) == 0) end_later();
        }
        while (!later_.empty()) end_later();
        return std::move(history_);
    }

private:
    static constexpr std::size_t no_record = ~std::size_t{0};
    // Ends of operations that have begun, by the operation: the member's record, and whose beginnings it follows from.
    struct Later {
        std::uint32_t stream;
        std::vector<End> ends;
        std::vector<std::size_t> causes;
        std::uint64_t turn;  // ends of one channel and stream come in this order
    };

    std::uint32_t below(std::uint32_t limit) { return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_); }

    void make_groups() {
        for (std::uint32_t g = 0; g < 3; ++g) {
            Group members(history_.streams);
            std::iota(members.begin(), members.end(), 0U);
            std::shuffle(members.begin(), members.end(), random_);
            members.resize(1 + below(history_.streams));
            groups_.push_back(std::make_shared<const Group>(std::move(members)));
            instances_.push_back(0);
        }
    }

    std::size_t record(std::uint32_t stream, std::vector<End> ends, const std::vector<std::size_t>& causes) {
        const std::size_t place = history_.records.size();
        // Clocks run apart, and sometimes back.
        clock_[stream] += static_cast<std::int64_t>(below(2'000)) - 200;
        HistoryRecord made{{stream, numbers_[stream]++}, clock_[stream], std::move(ends), causes, {}};
        if (newest_[stream] != no_record) made.causes.push_back(newest_[stream]);
        std::sort(made.causes.begin(), made.causes.end());
        made.causes.erase(std::unique(made.causes.begin(), made.causes.end()), made.causes.end());
        for (const std::size_t cause : made.causes) history_.records[cause].effects.push_back(place);
        history_.records.push_back(std::move(made));
        newest_[stream] = place;
        return place;
    }

    void message() {
        const std::uint32_t from = below(history_.streams), to = (from + 1 + below(history_.streams - 1)) % history_.streams;
        End end;
        const std::uint64_t number = messages_[{from, to}]++;
        end.key = {std::uint64_t{from} << 32 | to, number};
        end.channel = {from, to};
        if (choice_.numbered) end.number = number;
        end.key_is_of_channel = !choice_.numbered;
        end.from = from;
        end.to = to;
        const std::size_t source = record(from, {end}, {});
        end.role = Role::Target;
        later_.push_back({to, {end}, {source}, turns_++});
    }

    void collective() {
        const std::uint32_t g = below(static_cast<std::uint32_t>(groups_.size()));
        const auto size = static_cast<std::uint32_t>(groups_[g]->size());
        CollectiveRecord made;
        made.operation = static_cast<Operation>(1 + below(8));
        made.group_id = g;
        made.group = groups_[g];
        made.instance = instances_[g]++;
        made.root = below(size);
        made.cyclic = below(2) == 0;
        std::vector<std::size_t> begins(size);
        for (std::uint32_t rank = 0; rank < size; ++rank) {
            made.rank = rank;
            made.partner = partner(rank, size);
            begins[rank] = record((*groups_[g])[rank], ends_of(made), {});
        }
        made.end = true;
        for (std::uint32_t rank = 0; rank < size; ++rank) {
            made.rank = rank;
            made.partner = partner(rank, size);
            later_.push_back({(*groups_[g])[rank], ends_of(made), causes_of(made, begins), turns_++});
        }
    }
    static std::uint32_t partner(std::uint32_t rank, std::uint32_t size) {
        const std::uint32_t other = rank ^ 1U;
        return other < size ? other : rank;
    }

    // By the definition, and not by ends_of().
    static std::vector<std::size_t> causes_of(const CollectiveRecord& end, const std::vector<std::size_t>& begins) {
        const auto size = static_cast<std::uint32_t>(begins.size());
        std::vector<std::size_t> causes;
        for (std::uint32_t other = 0; other < size; ++other) {
            if (other == end.rank) continue;
            bool edge = false;
            switch (end.operation) {
                case Operation::Multicast:
                    edge = other == end.root;
                    break;
                case Operation::Combine:
                case Operation::Concatenate:
                    edge = end.rank == end.root;
                    break;
                case Operation::Prefix:
                    edge = other + 1 == end.rank;
                    break;
                case Operation::Shift:
                    edge = other + 1 == end.rank || (end.cyclic && end.rank == 0 && other + 1 == size);
                    break;
                case Operation::Exchange:
                    edge = other == end.partner;
                    break;
                case Operation::Barrier:
                case Operation::AllToAll:
                    edge = true;
                    break;
            }
            if (edge) causes.push_back(begins[other]);
        }
        return causes;
    }

    // The first of a random stream's: receives keep the order of each channel.
    void end_later() {
        const std::uint32_t stream = later_[below(static_cast<std::uint32_t>(later_.size()))].stream;
        const auto at = std::find_if(later_.begin(), later_.end(), [&](const Later& end) { return end.stream == stream; });
        Later end = std::move(*at);
        later_.erase(at);
        for (std::uint32_t more = choice_.most_together > 1 ? below(choice_.most_together) : 0; more > 0; --more)
            join_next(end);
        record(end.stream, end.ends, end.causes);
    }

    // The next end of its stream becomes one of the same record.
    void join_next(Later& end) {
        const auto next =
            std::find_if(later_.begin(), later_.end(), [&](const Later& one) { return one.stream == end.stream; });
        if (next == later_.end()) return;
        end.ends.insert(end.ends.end(), next->ends.begin(), next->ends.end());
        end.causes.insert(end.causes.end(), next->causes.begin(), next->causes.end());
        later_.erase(next);
    }

    const HistoryChoice choice_;
    std::mt19937 random_;
    History history_;
    std::vector<std::size_t> newest_;
    std::vector<std::uint64_t> numbers_;
    std::vector<std::int64_t> clock_;
    std::vector<std::shared_ptr<const Group>> groups_;
    std::vector<std::uint64_t> instances_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> messages_;
    std::vector<Later> later_;
    std::uint64_t turns_ = 0;
};

}  // namespace

History random_history(const HistoryChoice& choice) {
    return Maker(choice).make();
}

}  // namespace testing_support
