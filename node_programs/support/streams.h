/* What the other files of the support code need of streams.c and environment.c. */
#ifndef NODE_PROGRAMS_STREAMS_H
#define NODE_PROGRAMS_STREAMS_H

void program_end_streams(void); /* writes what they hold */
/* Texts NAME=VALUE, of which the last is followed by a null pointer. They must stay. */
void program_begin_environment(char** given);

#endif
