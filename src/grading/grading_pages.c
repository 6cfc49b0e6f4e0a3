// grading_pages: the pages about a class, written beside the results; see grading.h.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "class_pairs.h"
#include "class_report.h"
#include "new_file.h"
#include "grading_words.h"

static bool save_page(Grading *grading, const GradingFormat *format, const char *path,
                      GradingTell *tell, void *list, Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &arena, err);
    FILE *out = good ? fopen(file.temporary, "w") : NULL, *usual = grading->out;
    bool written = out || (good && error_number(err, errno, "%s: %s", path, error_reason(errno)));
    if (out) {
        grading->format = format;
        grading->out = out;
        written = tell(grading, list, err);
        bool arrived = !ferror(out);
        if (fclose(out) != 0)
            arrived = false;
        if (written && !arrived)
            written = error_set(err, TELL(PAGE_UNWRITTEN), path, error_reason(errno));
        grading->out = usual;
    }
    if (good && !written)
        new_file_drop(&file);
    good = good && written && new_file_keep(&file, err);
    arena_finish(&arena);
    return good;
}

static bool report(Grading *grading, GradingTell *tell, void *list, Error *err)
{
    if (!grading->report_path)
        return true;
    grading->report = calloc(1, sizeof *grading->report);
    if (!grading->report)
        return error_machine(err, TELL(REPORT_MEMORY));
    grading->report->has_names = grading->report_has_names;
    bool good = save_page(grading, &class_report_format, grading->report_path, tell, list, err);
    arena_finish(&grading->report->arena);
    free(grading->report);
    return good;
}

static bool pair_up(Grading *grading, GradingTell *tell, void *list, Error *err)
{
    if (!grading->pairs_path)
        return true;
    grading->pairs = calloc(1, sizeof *grading->pairs);
    if (!grading->pairs)
        return error_machine(err, TELL(PAIRS_MEMORY));
    bool good = save_page(grading, &class_pairs_format, grading->pairs_path, tell, list, err);
    arena_finish(&grading->pairs->arena);
    free(grading->pairs->texts);
    free(grading->pairs);
    return good;
}

bool grading_pages(Grading *grading, GradingTell *tell, void *list, Error *err)
{
    return report(grading, tell, list, err) && pair_up(grading, tell, list, err);
}
