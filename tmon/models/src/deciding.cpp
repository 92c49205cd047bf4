#include "deciding.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "history_search.hpp"

namespace tmon_models {

namespace {

constexpr std::size_t most_records = 3;

using Domains = std::vector<std::vector<NodeState>>;

class Deciding {
public:
    Deciding(const Program& program, const Neighbours& neighbours, const Domains& domains, const SearchBudget& budget)
        : program_(program), neighbours_(neighbours), domains_(domains), budget_(budget) {
        for (std::uint16_t node = 0; node < domains.size(); ++node)
            if (domains[node].size() > 1) add_moves(node);
    }

    std::vector<trace_record::Event> find() {
        for (std::size_t size = 1; size <= most_records && !is_over(); ++size) {
            if (!add(0, size)) continue;
            std::vector<trace_record::Event> records;
            for (const std::size_t each : chosen_) {
                const Record& record = records_[each];
                const Move& move = program_.block(record.node, record.spot.block).moves[record.spot.move];
                records.push_back(program_.record_of(record.node, record.spot.block, move));
            }
            return records;
        }
        return {};
    }

private:
    struct Record {
        std::uint16_t node = 0;
        Program::Spot spot;
    };

    // Those that were made in some states of the node, and not in all.
    void add_moves(std::uint16_t node) {
        const std::vector<NodeState>& states = domains_[node];
        for (std::uint64_t block = states.front().block; block <= states.back().block; ++block) {
            const std::size_t moves = block < program_.blocks(node) ? program_.block(node, block).moves.size() : 0;
            for (unsigned move = 0; move < moves; ++move) {
                const Record record{node, {block, move}};
                const auto made = std::count_if(states.begin(), states.end(),
                                                [&](const NodeState& state) { return program_.has_done(state, record.spot); });
                if (made > 0 && made < static_cast<std::ptrdiff_t>(states.size())) records_.push_back(record);
            }
            used_ += moves * states.size();
            if (is_over()) return;
        }
    }

    bool is_over() const { return used_ > budget_.deciding; }

    bool add(std::size_t from, std::size_t more) {
        if (more == 0) return decide(domains_, 0);
        for (std::size_t record = from; record < records_.size() && !is_over(); ++record) {
            chosen_.push_back(record);
            if (add(record + 1, more - 1)) return true;
            chosen_.pop_back();
        }
        return false;
    }

    // Whichever of the chosen records from this one on were made, there is one answer at most.
    bool decide(const Domains& domains, std::size_t from) {
        if (from == chosen_.size()) return has_one_answer(domains);
        const Record& record = records_[chosen_[from]];
        for (const bool made : {false, true}) {
            Domains left = domains;
            std::erase_if(left[record.node],
                          [&](const NodeState& state) { return program_.has_done(state, record.spot) != made; });
            if (!decide(left, from + 1)) return false;
        }
        return true;
    }

    bool has_one_answer(const Domains& domains) {
        for (const auto& states : domains) used_ += states.size();
        if (is_over()) return false;
        SearchBudget budget = budget_;
        budget.pairs = std::min(budget.pairs, budget_.deciding - used_);
        HistorySearch search(program_, neighbours_, domains, budget);
        const bool is_whole = search.run();
        used_ += search.pairs();
        if (!is_whole) return false;
        return search.examples().empty() || (search.examples().size() == 1 && !search.examples().front().answer.empty());
    }

    const Program& program_;
    const Neighbours& neighbours_;
    const Domains& domains_;
    const SearchBudget& budget_;
    std::vector<Record> records_;
    std::vector<std::size_t> chosen_;
    std::size_t used_ = 0;
};

}  // namespace

std::vector<trace_record::Event> deciding_records(const Program& program, const Neighbours& neighbours, const Domains& domains,
                                                  const SearchBudget& budget) {
    return Deciding(program, neighbours, domains, budget).find();
}

}  // namespace tmon_models
