// sweep_again: the fifth law, for commands that keep something for the next run. Whatever has failed, the
// next run says what is right: what a first run says, or what a second one says on a machine where
// nothing fails. So nothing that was kept is half of something, or the machine's failure taken for the
// learner's. What has been graded is kept in whole lines.
#include "sweep.h"

#include <stdio.h>
#include <string.h>

// Where cases.def has its journal.
static const char journal[] = "cache/attnscope/grades/faults.jsonl";

bool sweep_expect_again(const Place *place, const Case *item, char why[512])
{
    Run run;
    sweep_run_again(place, item, &run);
    sweep_keep(place, "out", "expected-again");
    return (run.ending == ENDED && run.code == 0) ||
           snprintf(why, 512, "a second run without a fault ends with %d", run.code) < 0;
}

// Whether each line of the journal begins and ends as one does; there may be none.
static bool has_whole_lines(const Place *place)
{
    static const char begin[] = "{\"key\":\"", end[] = "}\n";
    static char line[1 << 18];
    char path[TREE_PATH_MAX + 64];
    bool whole = true;
    snprintf(path, sizeof path, "%s/%s", place->here, journal);
    FILE *file = fopen(path, "r");
    while (whole && file && fgets(line, sizeof line, file)) {
        size_t length = strlen(line);
        whole = length > strlen(begin) + strlen(end) && strncmp(line, begin, strlen(begin)) == 0 &&
                strcmp(line + length - strlen(end), end) == 0;
    }
    if (file)
        fclose(file);
    return whole;
}

bool sweep_breaks_again(const Place *place, const Case *item, char why[512])
{
    Run run;
    if (!has_whole_lines(place))
        return snprintf(why, 512, "leaves a line in the journal that is not whole") > 0;
    sweep_run_again(place, item, &run);
    if (run.ending != ENDED || run.code != 0)
        return snprintf(why, 512, "the next run, without a fault, ends with %d", run.code) > 0;
    if (!sweep_same_output(place, "out", "expected-out") &&
        !sweep_same_output(place, "out", "expected-again"))
        return snprintf(why, 512, "the next run, without a fault, says something else") > 0;
    return !has_whole_lines(place) &&
           snprintf(why, 512, "the next run leaves a line in the journal that is not whole") > 0;
}
