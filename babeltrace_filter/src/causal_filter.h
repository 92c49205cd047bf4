/* The methods of the component class flt.magicwire.causal. Each catches all exceptions and appends a cause to the error. */
#ifndef MAGICWIRE_CAUSAL_FILTER_H
#define MAGICWIRE_CAUSAL_FILTER_H

#include <babeltrace2/babeltrace.h>

#ifdef __cplusplus
extern "C" {
#endif

bt_component_class_initialize_method_status magicwire_causal_initialize(bt_self_component_filter* self,
                                                                        bt_self_component_filter_configuration* configuration,
                                                                        const bt_value* params, void* data);
void magicwire_causal_finalize(bt_self_component_filter* self);
bt_component_class_port_connected_method_status magicwire_causal_input_connected(bt_self_component_filter* self,
                                                                                 bt_self_component_port_input* port,
                                                                                 const bt_port_output* other);
bt_message_iterator_class_initialize_method_status magicwire_causal_iterator_initialize(
    bt_self_message_iterator* self, bt_self_message_iterator_configuration* configuration, bt_self_component_port_output* port);
void magicwire_causal_iterator_finalize(bt_self_message_iterator* self);
bt_message_iterator_class_next_method_status magicwire_causal_next(bt_self_message_iterator* self,
                                                                   bt_message_array_const messages, uint64_t capacity,
                                                                   uint64_t* count);
bt_message_iterator_class_can_seek_beginning_method_status magicwire_causal_can_seek_beginning(bt_self_message_iterator* self,
                                                                                               bt_bool* can);
bt_message_iterator_class_seek_beginning_method_status magicwire_causal_seek_beginning(bt_self_message_iterator* self);

#ifdef __cplusplus
}
#endif
#endif
