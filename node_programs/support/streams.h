/* What the other files of the support code need of streams.c. */
#ifndef NODE_PROGRAMS_STREAMS_H
#define NODE_PROGRAMS_STREAMS_H

void program_end_streams(void); /* writes what they hold */

#endif
