// LocalStates: the locals of one node in a conjunction, record by record.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "evaluator.hpp"

namespace tmon_predicates {

enum class State : std::uint8_t { False, Unsure, True };  // Unsure: true unless a lost record ended it

class LocalStates {
public:
    void add(const Local& local) { locals_.push_back({local, 0, State::False, {}}); }
    // All of them, behind this record, or behind the lost ones.
    State record(const Step& step);
    State lost(const trace_record::LossRange& loss);
    // The record that made each of them true.
    std::vector<tmon_order::RecordId> made_by() const;
    // Once true, it stays so.
    bool is_stable() const;
    bool may_be_in(const trace_record::LossRange& loss) const;

    // By node, the lowest first.
    static std::map<std::uint16_t, LocalStates> of(const std::vector<Local>& locals);

private:
    struct One {
        Local local;
        std::uint64_t count = 0;
        State state = State::False;
        tmon_order::RecordId made_by{};
    };
    State all() const;
    std::vector<One> locals_;
};

}  // namespace tmon_predicates
