// no-landlock PROGRAM ARGUMENT...: the program on a kernel without Landlock, as far as it can tell: it and
// all that it starts find none of Landlock's system calls. Ends with 77 where that cannot be had.
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char *words[])
{
    static const int calls[] = {444, 445,
                                446}; // landlock_create_ruleset, _add_rule, _restrict_self
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool good = count > 1 && filter;
    for (int i = 0; good && i < 3; i++)
        good = seccomp_rule_add_exact(filter, SCMP_ACT_ERRNO(ENOSYS), calls[i], 0) == 0;
    if (!good || seccomp_load(filter) != 0)
        return 77;
    execv(words[1], words + 1);
    perror(words[1]);
    return 77;
}
