/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages of a CPU: its stream, a packet for each sub-buffer, and the events in it.
 * The methods of message iterators are the same for each source.
 */
#ifndef RBMAP_BT2_MESSAGES_H
#define RBMAP_BT2_MESSAGES_H

#include <babeltrace2/babeltrace.h>

bt_message_iterator_class_initialize_method_status messages_begin(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
	bt_self_component_port_output *port);
bt_message_iterator_class_next_method_status messages_next(bt_self_message_iterator *self,
							   bt_message_array_const messages,
							   uint64_t room, uint64_t *count);
void messages_end(bt_self_message_iterator *self);

/*
 * An iterator that has given no message yet is at the beginning. That is enough to select a
 * part of a trace, as --begin and --end do. No source goes back.
 */
bt_message_iterator_class_can_seek_beginning_method_status messages_can_seek_beginning(
	bt_self_message_iterator *self, bt_bool *can_seek);
bt_message_iterator_class_seek_beginning_method_status messages_seek_beginning(
	bt_self_message_iterator *self);

#endif /* RBMAP_BT2_MESSAGES_H */
