#include <wiredtiger.h>
// Calls with a variable number of arguments, which Swift does not import, for tables of raw bytes (format "u").
static inline void hearth_wt_set_key(WT_CURSOR *cursor, WT_ITEM *key) { cursor->set_key(cursor, key); }
static inline void hearth_wt_set_value(WT_CURSOR *cursor, WT_ITEM *value) { cursor->set_value(cursor, value); }
static inline int hearth_wt_get_key(WT_CURSOR *cursor, WT_ITEM *key) { return cursor->get_key(cursor, key); }
static inline int hearth_wt_get_value(WT_CURSOR *cursor, WT_ITEM *value) { return cursor->get_value(cursor, value); }
// These macros hold casts, which Swift does not import either.
enum { HEARTH_WT_NOTFOUND = WT_NOTFOUND, HEARTH_WT_ROLLBACK = WT_ROLLBACK };
