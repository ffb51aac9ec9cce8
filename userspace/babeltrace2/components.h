/* SPDX-License-Identifier: GPL-2.0-only */
/* The methods of the component classes. */
#ifndef RBMAP_BT2_COMPONENTS_H
#define RBMAP_BT2_COMPONENTS_H

#include <babeltrace2/babeltrace.h>

#define INIT_OK		BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK
#define INIT_ERROR	BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR
#define INIT_MEMORY	BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR

typedef bt_component_class_initialize_method_status init_status;

/* source.rbmap.dat */
init_status dat_init(bt_self_component_source *self,
		     bt_self_component_source_configuration *configuration,
		     const bt_value *params, void *data);
void dat_finalize(bt_self_component_source *self);
bt_component_class_query_method_status dat_query(bt_self_component_class_source *self,
						 bt_private_query_executor *executor,
						 const char *object, const bt_value *params,
						 void *data, const bt_value **result);

/* source.rbmap.live */
init_status live_init(bt_self_component_source *self,
		      bt_self_component_source_configuration *configuration,
		      const bt_value *params, void *data);
void live_finalize(bt_self_component_source *self);

/* Both: add the supported versions of the message interchange protocol to @versions. */
bt_component_class_get_supported_mip_versions_method_status
supported_mip(bt_self_component_class_source *self, const bt_value *params, void *data,
	      bt_logging_level level, bt_integer_range_set_unsigned *versions);

#endif /* RBMAP_BT2_COMPONENTS_H */
