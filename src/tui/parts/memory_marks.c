// memory_marks: see memory_marks.h.
#include "memory_marks.h"

#include <stdio.h>
#include <string.h>
#include "tui_words.h"

enum { LETTERS = 52, SHADES = 8 };

static const char *token_name(ptrdiff_t token, char text[MEMORY_MARK_MAX])
{
    if (token < LETTERS)
        snprintf(text, MEMORY_MARK_MAX, "%c", (int)(token < 26 ? 'A' + token : 'a' + token - 26));
    else
        snprintf(text, MEMORY_MARK_MAX, "%td", token);
    return text;
}

static ptrdiff_t last_of(const Tensor *tensor, int axis, ptrdiff_t width)
{
    return axis < 0 ? -1 : tensor->shape[axis] / width - 1;
}

static const char *mark_of(StorageMark mark, ptrdiff_t run, char text[MEMORY_MARK_MAX])
{
    char token[MEMORY_MARK_MAX] = "";
    if (mark.token < 0 && mark.head < 0) {
        snprintf(text, MEMORY_MARK_MAX, "%td", run);
        return text;
    }
    if (mark.token >= 0)
        token_name(mark.token, token);
    if (mark.head < 0)
        snprintf(text, MEMORY_MARK_MAX, "%.20s", token);
    else
        snprintf(text, MEMORY_MARK_MAX, "%.20s%s%td", token, mark.token >= LETTERS ? "." : "",
                 mark.head);
    return text;
}

MemoryMarks memory_marks(const Trace *trace, int tensor, bool by_head)
{
    MemoryMarks marks = {.trace = trace, .owner = storage_owner(trace, tensor), .by_head = by_head};
    const Tensor *owner = &trace->tensors[marks.owner].tensor;
    char text[MEMORY_MARK_MAX];
    marks.axes = storage_axes(trace, marks.owner);
    marks.run = storage_run(trace, marks.owner);
    marks.count = storage_count(owner);
    StorageMark last = {.sequence = -1,
                        .token = last_of(owner, marks.axes.token, 1),
                        .head = last_of(owner, marks.axes.head, marks.axes.head_width)};
    marks.columns = (int)strlen(mark_of(last, (marks.count - 1) / marks.run, text));
    return marks;
}

const char *memory_token(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX])
{
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    text[0] = '\0';
    return mark.token < 0 ? text : token_name(mark.token, text);
}

const char *memory_head(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX])
{
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    text[0] = '\0';
    if (mark.head >= 0)
        snprintf(text, MEMORY_MARK_MAX, "%td", mark.head);
    return text;
}

const char *memory_mark(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX])
{
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    return mark_of(mark, place / marks->run, text);
}

const char *memory_words(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_WORDS_MAX])
{
    const Tensor *owner = &marks->trace->tensors[marks->owner].tensor;
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    ptrdiff_t at[TENSOR_RANK_MAX];
    char name[MEMORY_MARK_MAX], word[64] = "";
    size_t used = 0;
    text[0] = '\0';
    if (mark.token < 0 && mark.head < 0)
        snprintf(text, MEMORY_WORDS_MAX, TELL(MARK_ROW), place / marks->run);
    if (mark.head >= 0)
        used = (size_t)snprintf(text, MEMORY_WORDS_MAX, TELL(MARK_HEAD), mark.head,
                                mark.token >= 0 ? TELL(MARK_OF) : "");
    if (mark.token < 0)
        return text;
    storage_index(owner, place, at);
    trace_label(marks->trace, marks->owner, marks->axes.token, at, word);
    snprintf(name, sizeof name, "%td", mark.token);
    bool says_more = strcmp(name, word) != 0;
    used += (size_t)snprintf(text + used, MEMORY_WORDS_MAX - used, TELL(MARK_TOKEN),
                             token_name(mark.token, name));
    if (says_more)
        snprintf(text + used, MEMORY_WORDS_MAX - used, " \"%s\"", word);
    return text;
}

// Colours of Okabe and Ito, which stay apart with any kind of colour blindness; black can be read on
// each of them.
Shade memory_shade(const MemoryMarks *marks, ptrdiff_t place)
{
    static const uint32_t backs[SHADES] = {0xE69F00, 0x56B4E9, 0x009E73, 0xF0E442,
                                           0xB39DDB, 0xD55E00, 0xCC79A7, 0xBBBBBB};
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    bool by_head = mark.token < 0 || (marks->by_head && mark.head >= 0);
    ptrdiff_t which = by_head ? mark.head : mark.token;
    if (which < 0)
        return (Shade){0, 0};
    return (Shade){.front = SHADE_SET, .back = SHADE_SET | backs[which % SHADES]};
}
