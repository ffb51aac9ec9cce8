// SPDX-License-Identifier: GPL-2.0-only
/* The plugin of babeltrace2. */
#include "components.h"
#include "messages.h"

BT_PLUGIN_MODULE();
BT_PLUGIN(rbmap);
BT_PLUGIN_DESCRIPTION("Recordings of rbmap and trace-cmd, and rbmap's rings");
BT_PLUGIN_AUTHOR("rbmap developers");
BT_PLUGIN_LICENSE("GPL-2.0-only");

BT_PLUGIN_SOURCE_COMPONENT_CLASS(dat, messages_next);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_DESCRIPTION(dat, "Read a trace.dat of rbmap or trace-cmd");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_HELP(dat,
	"Parameter: inputs=[\"PATH\"].  See babeltrace2-source.rbmap.dat(7).");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_INITIALIZE_METHOD(dat, dat_init);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_FINALIZE_METHOD(dat, dat_finalize);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD(dat, supported_mip);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_QUERY_METHOD(dat, dat_query);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(dat, messages_begin);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(dat, messages_end);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHODS(
	dat, messages_seek_beginning, messages_can_seek_beginning);

BT_PLUGIN_SOURCE_COMPONENT_CLASS(live, messages_next);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_DESCRIPTION(live, "Read the events of rbmap's rings as they happen");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_HELP(live,
	"Parameters: buffer=\"NAME\", observe=yes|no, seconds=N.  See babeltrace2-source.rbmap.live(7).");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_INITIALIZE_METHOD(live, live_init);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_FINALIZE_METHOD(live, live_finalize);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD(live, supported_mip);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(live, messages_begin);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(live, messages_end);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHODS(
	live, messages_seek_beginning, messages_can_seek_beginning);
