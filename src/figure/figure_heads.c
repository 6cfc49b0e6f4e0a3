// figure_heads: see figure_heads.h.
#include "figure_heads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "figure_words.h"

static bool can_be(ptrdiff_t head)
{
    return head >= 0 && head < FIGURE_HEADS_MAX;
}

bool figure_heads_any(const FigureHeads *heads)
{
    uint64_t any = 0;
    for (int word = 0; word < FIGURE_HEADS_WORDS; word++)
        any |= heads->bits[word];
    return any != 0;
}

bool figure_heads_has(const FigureHeads *heads, ptrdiff_t head)
{
    return can_be(head) && (heads->bits[head / 64] >> head % 64 & 1) != 0;
}

void figure_heads_put(FigureHeads *heads, ptrdiff_t head, bool in)
{
    uint64_t bit = (uint64_t)1 << head % 64;
    if (!can_be(head))
        return;
    heads->bits[head / 64] = in ? heads->bits[head / 64] | bit : heads->bits[head / 64] & ~bit;
}

bool figure_heads_read(FigureHeads *heads, const char *words, Error *err)
{
    FigureHeads read = {.bits = {0}};
    const char *at = words;
    char *end;
    if (strcmp(words, "all") == 0) {
        *heads = read;
        return true;
    }
    for (bool more = true; more; at = end + 1) {
        long head = strtol(at, &end, 10), last = head;
        bool well = end != at;
        if (well && *end == '-') {
            at = end + 1;
            last = strtol(at, &end, 10);
            well = end != at && last >= head;
        }
        if (!well || !can_be(head) || !can_be(last) || (*end != ',' && *end != '\0'))
            return error_set(err, TELL(HEADS_FORM), words);
        for (; head <= last; head++)
            figure_heads_put(&read, head, true);
        more = *end == ',';
    }
    *heads = read;
    return true;
}

ptrdiff_t figure_heads_count(const FigureHeads *heads, ptrdiff_t count)
{
    ptrdiff_t picked = 0;
    for (ptrdiff_t head = 0; head < count; head++)
        picked += figure_heads_has(heads, head);
    return picked;
}

const char *figure_heads_text(const FigureHeads *heads, ptrdiff_t count, char text[64])
{
    enum { MANY = 8 };
    ptrdiff_t picked = figure_heads_count(heads, count);
    bool most = picked > MANY && picked < count && 2 * picked > count;
    size_t used = (size_t)snprintf(text, 64, "%s", most ? TELL(HEADS_BUT) : "");
    const char *comma = "";
    for (ptrdiff_t head = 0; head < count && used < 64 - 16; head++)
        if (figure_heads_has(heads, head) != most) {
            used += (size_t)snprintf(text + used, 64 - used, "%s%td", comma, head);
            comma = ", ";
            picked -= !most;
        }
    bool cut = most ? used >= 64 - 16 : picked > 0;
    snprintf(text + used, 64 - used, "%s", cut ? " ..." : "");
    return text;
}
