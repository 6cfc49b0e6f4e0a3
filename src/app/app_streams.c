// app_streams: see app_streams.h.
#include "app_streams.h"

#include <fcntl.h>
#include <unistd.h>

void app_streams_open(void)
{
    // Who writes to a descriptor that is for reading is refused, as with one that is closed.
    static const int ways[] = {
        [STDIN_FILENO] = O_RDONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", ways[stream]) != stream)
            _exit(1); // without /dev/null there is nobody to tell
}
