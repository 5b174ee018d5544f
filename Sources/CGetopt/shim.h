#include <getopt.h>
// getopt_long keeps its state in globals, which Swift takes for races: they are reached through these.
static inline void hearth_getopt_start(void) { optind = 0; opterr = 0; }
static inline int hearth_getopt_index(void) { return optind; }
static inline const char *hearth_getopt_argument(void) { return optarg; }
static inline int hearth_getopt_option(void) { return optopt; }
