// The three streams that every program expects to be there.
#ifndef APP_STREAMS_H
#define APP_STREAMS_H

// A program may be started with its input, output or error output closed. Then the next file that it
// opens would get that number, and what is printed would go into it. So what is closed is opened here:
// input is empty, output refuses what is written (and app_finish_output says so), sentences go nowhere.
// To be called first.
void app_streams_open(void);

#endif
