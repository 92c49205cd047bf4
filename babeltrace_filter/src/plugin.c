/* What libbabeltrace2 finds in this shared object. In C, since the macros are. */
#include <babeltrace2/babeltrace.h>

#include "causal_filter.h"

BT_PLUGIN_MODULE();
BT_PLUGIN(magicwire);
BT_PLUGIN_DESCRIPTION("Causal order of events");
BT_PLUGIN_AUTHOR("Magicwire");
BT_PLUGIN_LICENSE("MIT");

BT_PLUGIN_FILTER_COMPONENT_CLASS(causal, magicwire_causal_next);
BT_PLUGIN_FILTER_COMPONENT_CLASS_DESCRIPTION(causal, "Put events in causal order: no receive before its send.");
BT_PLUGIN_FILTER_COMPONENT_CLASS_HELP(causal, "See docs/guide/babeltrace.md of Magicwire.");
BT_PLUGIN_FILTER_COMPONENT_CLASS_INITIALIZE_METHOD(causal, magicwire_causal_initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_FINALIZE_METHOD(causal, magicwire_causal_finalize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_INPUT_PORT_CONNECTED_METHOD(causal, magicwire_causal_input_connected);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(causal, magicwire_causal_iterator_initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(causal, magicwire_causal_iterator_finalize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHODS(causal, magicwire_causal_seek_beginning,
                                                                              magicwire_causal_can_seek_beginning);
