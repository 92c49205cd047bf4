#include <hw_model/node.hpp>

#include <algorithm>
#include <string>

#include <hw_model/core_driver.hpp>

namespace hw_model {

Node::Node(sc_core::sc_module_name name, const NodeConfig& config, const ProcessorTiming& processor_timing,
           const LinkTimings& link_timings, Timeline& timeline)
    : sc_module(name),
      arena(config.id, config.ram_bytes, config.places),
      processor("processor", config.id, config.clock_hz, processor_timing, timeline),
      event(processor),
      id_(config.id) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
        if (!config.wired[i]) continue;
        links_[i] = std::make_unique<LinkEnd>(("link" + std::to_string(i)).c_str(), config.id.value(), *link_timings[i],
                                              config.least_byte, timeline, processor, config.uses[i]);
    }
    if (config.core) core_ = std::make_unique<CoreDriver>(*this, *config.core, timeline);
}

Node::~Node() = default;

void Node::power_up() {
    if (core_) core_->reset();
}

bool Node::links_idle() const {
    return std::none_of(links_.begin(), links_.end(),
                        [](const auto& link) { return link && (link->moving_out() || link->moving()); });
}

void Node::crash() {
    processor.crash();
    for (auto& link : links_) {
        if (link) link->cut();
    }
}

void Node::analyse() {
    if (core_)
        core_->analyse();
    else
        processor.analyse();
}

void Node::reset() {
    if (processor.crashed()) return;
    processor.reset();
    event.reset();
    for (auto& link : links_) {
        if (link) link->restart();
    }
    halt_on_error_ = false;
    power_up();
}

void Node::set_error() {
    error_ = true;
    if (halt_on_error_) processor.halt();
}

}  // namespace hw_model
