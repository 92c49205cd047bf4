// A group of figures that one measurement gives: the published rows, and the function that measures all of them on one Machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <hw_model/timing.hpp>
#include <tmon_session/validation.hpp>

namespace tmon_session {

struct Group {
    std::string name;
    std::vector<Figure> figures;  // `model` is still empty
    // In the order of `figures`; runs in a process of its own, once.
    std::function<std::vector<double>(const topologies::CostTable&)> measure;
};

// Names and texts of what is measured at both levels of the links.
std::string group_name(const std::string& name, hw_model::LinkLevel level);  // "link_20", "byte_link_20"
const char* remark(hw_model::LinkLevel level);                               // "", ", bytes"

void add_link_groups(std::vector<Group>& groups);       // rates at three speeds, through C004s, through the host's adaptor
void add_message_groups(std::vector<Group>& groups);    // times of single messages and of a ping-pong
void add_processor_groups(std::vector<Group>& groups);  // interrupts and timeslices
void add_commstime_groups(std::vector<Group>& groups);  // four processes over soft channels
void add_memory_groups(std::vector<Group>& groups);     // what links take from the processor
void add_kernel_groups(std::vector<Group>& groups);     // Trollius: rendez-vous of each operation, and its time

}  // namespace tmon_session
