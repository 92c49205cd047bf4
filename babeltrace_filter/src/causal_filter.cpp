#include "causal_filter.h"

#include <fmt/format.h>

#include "causal_iterator.hpp"

namespace babeltrace_filter {
namespace {

struct Component {
    bt_self_component_filter* self;
    FilterParameters parameters;
};

bt_self_component* base_of(bt_self_component_filter* self) {
    return bt_self_component_filter_as_self_component(self);
}
Component* component_of(bt_self_component_filter* self) {
    return static_cast<Component*>(bt_self_component_get_data(base_of(self)));
}
CausalIterator* iterator_of(bt_self_message_iterator* self) {
    return static_cast<CausalIterator*>(bt_self_message_iterator_get_data(self));
}

std::uint64_t input_ports(bt_self_component_filter* self) {
    return bt_component_filter_get_input_port_count(bt_self_component_filter_as_component_filter(self));
}

// There is always one more, since it is not known how many there will be.
void add_input_port(bt_self_component_filter* self) {
    check(bt_self_component_filter_add_input_port(self, fmt::format("in{}", input_ports(self)).c_str(), nullptr, nullptr));
}

std::vector<UpstreamRef> make_upstreams(bt_self_message_iterator* self, bt_self_component_filter* filter) {
    std::vector<UpstreamRef> upstreams;
    for (std::uint64_t i = 0; i < input_ports(filter); ++i) {
        bt_self_component_port_input* port = bt_self_component_filter_borrow_input_port_by_index(filter, i);
        const bt_port* base = bt_port_input_as_port_const(bt_self_component_port_input_as_port_input(port));
        if (bt_port_is_connected(base) == BT_FALSE) continue;
        bt_message_iterator* one = nullptr;
        if (bt_message_iterator_create_from_message_iterator(self, port, &one) != 0)
            throw FilterError("no message iterator for an input of the causal filter");
        upstreams.emplace_back(one);
    }
    return upstreams;
}

// Calls `action`; its exceptions become causes of the library's error.
template <class Action, class Tell>
int guarded(const Action& action, const Tell& tell) {
    try {
        return action();
    } catch (const std::bad_alloc&) {
        tell("there is no memory left");
        return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
    } catch (const std::exception& error) {
        tell(error.what());
        return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
    }
}

auto for_component(bt_self_component_filter* self) {
    return [self](const char* text) { BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(base_of(self), "%s", text); };
}
auto for_iterator(bt_self_message_iterator* self) {
    return [self](const char* text) { BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(self, "%s", text); };
}

}  // namespace
}  // namespace babeltrace_filter

namespace filter = babeltrace_filter;

bt_component_class_initialize_method_status magicwire_causal_initialize(bt_self_component_filter* self,
                                                                        bt_self_component_filter_configuration*,
                                                                        const bt_value* params, void*) {
    return static_cast<bt_component_class_initialize_method_status>(filter::guarded(
        [&] {
            auto component = std::make_unique<filter::Component>(filter::Component{self, filter::read_parameters(params)});
            filter::check(bt_self_component_filter_add_output_port(self, "out", nullptr, nullptr));
            filter::add_input_port(self);
            bt_self_component_set_data(filter::base_of(self), component.release());
            return 0;
        },
        filter::for_component(self)));
}

void magicwire_causal_finalize(bt_self_component_filter* self) {
    delete filter::component_of(self);
}

bt_component_class_port_connected_method_status magicwire_causal_input_connected(bt_self_component_filter* self,
                                                                                 bt_self_component_port_input*,
                                                                                 const bt_port_output*) {
    return static_cast<bt_component_class_port_connected_method_status>(filter::guarded(
        [&] {
            filter::add_input_port(self);
            return 0;
        },
        filter::for_component(self)));
}

bt_message_iterator_class_initialize_method_status magicwire_causal_iterator_initialize(
    bt_self_message_iterator* self, bt_self_message_iterator_configuration* configuration, bt_self_component_port_output*) {
    return static_cast<bt_message_iterator_class_initialize_method_status>(filter::guarded(
        [&] {
            const auto* component =
                static_cast<filter::Component*>(bt_self_component_get_data(bt_self_message_iterator_borrow_component(self)));
            std::vector<filter::UpstreamRef> upstreams = filter::make_upstreams(self, component->self);
            bt_bool forward = BT_TRUE;
            for (const filter::UpstreamRef& one : upstreams)
                forward = forward != BT_FALSE ? bt_message_iterator_can_seek_forward(one.get()) : BT_FALSE;
            bt_self_message_iterator_configuration_set_can_seek_forward(configuration, forward);
            bt_self_message_iterator_set_data(self,
                                              new filter::CausalIterator(self, component->parameters, std::move(upstreams)));
            return 0;
        },
        filter::for_iterator(self)));
}

void magicwire_causal_iterator_finalize(bt_self_message_iterator* self) {
    delete filter::iterator_of(self);
}

bt_message_iterator_class_next_method_status magicwire_causal_next(bt_self_message_iterator* self,
                                                                   bt_message_array_const messages, uint64_t capacity,
                                                                   uint64_t* count) {
    return static_cast<bt_message_iterator_class_next_method_status>(filter::guarded(
        [&] {
            std::vector<filter::MessageRef> given;
            given.reserve(capacity);
            const filter::CausalIterator::Status status = filter::iterator_of(self)->next(capacity, given);
            if (status == filter::CausalIterator::Status::Again) return int{BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN};
            if (status == filter::CausalIterator::Status::End) return int{BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END};
            *count = given.size();
            for (std::size_t i = 0; i < given.size(); ++i) messages[i] = given[i].release();
            return int{BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK};
        },
        filter::for_iterator(self)));
}

bt_message_iterator_class_can_seek_beginning_method_status magicwire_causal_can_seek_beginning(bt_self_message_iterator* self,
                                                                                               bt_bool* can) {
    return static_cast<bt_message_iterator_class_can_seek_beginning_method_status>(filter::guarded(
        [&] {
            *can = filter::iterator_of(self)->can_seek_beginning() ? BT_TRUE : BT_FALSE;
            return 0;
        },
        filter::for_iterator(self)));
}

bt_message_iterator_class_seek_beginning_method_status magicwire_causal_seek_beginning(bt_self_message_iterator* self) {
    return static_cast<bt_message_iterator_class_seek_beginning_method_status>(filter::guarded(
        [&] {
            return filter::iterator_of(self)->seek_beginning()
                       ? 0
                       : int{BT_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHOD_STATUS_AGAIN};
        },
        filter::for_iterator(self)));
}
