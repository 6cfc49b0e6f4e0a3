// Asks for the network.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/socket.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    if (socket(AF_INET, SOCK_STREAM, 0) < 0)
        abort();
}
