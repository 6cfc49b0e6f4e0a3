// judging_keep: see judging_keep.h.
#include "judging_keep.h"

#include <string.h>
#include "grading_words.h"

static const char *const ends[] = {
    [JUDGING_UNTOUCHED] = "untouched",
    [JUDGING_NOT_COMPILED] = "not-compiled",
    [JUDGING_NOT_JUDGED] = "not-judged",
    [JUDGING_DONE] = "judged",
};

// --- away

static void take_out(char *text, const char *part)
{
    size_t length = strlen(part);
    for (char *at = text; length > 1 && (at = strstr(at, part)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
}

void judging_without(char *text, const char *folder)
{
    char shown[WORKER_PATH_MAX];
    snprintf(shown, sizeof shown, "%s", folder);
    worker_words_printable(shown);
    take_out(text, folder);
    take_out(text, shown);
}

// A new JSON string.
static json_t *without(const char *text, const char *folder)
{
    char *shorter = strdup(text);
    if (shorter)
        judging_without(shorter, folder);
    json_t *json = shorter ? json_string(shorter) : NULL;
    free(shorter);
    return json;
}

json_t *judging_keep(const Judging *judging, const Exercise *exercise, const char *folder)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:i, s:i, s:i}", "exercise", exercise->name,
                  "end", ends[judging->end], "digest", judging->file.digest, "said",
                  without(judging->plain.said, folder), "why",
                  without(judging->why[LANGUAGE_ENGLISH].text, folder), "why_korean",
                  without(judging->why[LANGUAGE_KOREAN].text, folder), "compiler_fence",
                  judging->plain.fence, "state", (int)judging->file.state, "compiling",
                  judging->plain.milliseconds, "compiling_guarded", judging->guarded.milliseconds);
    bool good = json != NULL;
    if (good && judging->record)
        good = json_object_set(json, "verdict", judging->record) == 0;
    if (good && (judging->end == JUDGING_NOT_JUDGED || *judging->not_chained.text))
        good = json_object_set_new(json, "again", json_true()) == 0;
    if (good)
        return json;
    json_decref(json);
    return NULL;
}

// --- and back

static const char *text_of(const json_t *kept, const char *key)
{
    const char *text = json_string_value(json_object_get(kept, key));
    return text ? text : "";
}

static int number_of(const json_t *kept, const char *key)
{
    return (int)json_integer_value(json_object_get(kept, key));
}

static bool take_verdict(Judging *judging, const json_t *kept)
{
    Error err;
    json_t *record = json_object_get(kept, "verdict");
    if (!record)
        return judging->end != JUDGING_DONE;
    judging->record = json_incref(record);
    return verdict_take(&judging->verdict, record, TELL(THE_JOURNAL), &err);
}

bool judging_take(Judging *judging, const json_t *kept)
{
    int end = -1;
    for (int i = 0; i < (int)(sizeof ends / sizeof *ends); i++)
        end = strcmp(text_of(kept, "end"), ends[i]) == 0 ? i : end;
    if (end < 0)
        return false;
    judging->end = (JudgingEnd)end;
    error_set(&judging->why[LANGUAGE_ENGLISH], "%s", text_of(kept, "why"));
    error_set(&judging->why[LANGUAGE_KOREAN], "%s", text_of(kept, "why_korean"));
    snprintf(judging->file.digest, sizeof judging->file.digest, "%s", text_of(kept, "digest"));
    snprintf(judging->plain.said, sizeof judging->plain.said, "%s", text_of(kept, "said"));
    snprintf(judging->plain.fence, sizeof judging->plain.fence, "%s",
             text_of(kept, "compiler_fence"));
    judging->file.state = (WorkspaceState)number_of(kept, "state");
    judging->plain.milliseconds = number_of(kept, "compiling");
    judging->guarded.milliseconds = number_of(kept, "compiling_guarded");
    return take_verdict(judging, kept);
}
