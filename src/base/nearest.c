// nearest: the distance of Damerau and Levenshtein between short words; see shown_name.h.
#include "shown_name.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { LETTERS_MAX = 64 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Bytes stand for letters: known words are ASCII. Row i holds the distances from the first i
// letters of `a` to every beginning of `b`.
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int row[3][LETTERS_MAX + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *here = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        here[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            here[j] = smaller(changed, smaller(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = smaller(here[j], before[j - 2] + 1);
        }
    }
    return row[a_length % 3][b_length];
}

// How many letters have to change to get from one to the other; -1 where that is too many: more than
// a third of the longer one's (but always one), or all of them.
static int near(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length > LETTERS_MAX || b_length > LETTERS_MAX)
        return -1;
    size_t longer = a_length > b_length ? a_length : b_length;
    int allowed = longer < 3 ? 1 : (int)(longer / 3);
    int changes = distance(a, a_length, b, b_length);
    return changes <= allowed && changes < (int)longer ? changes : -1;
}

const char *nearest_word(const char *word, const char *const known[])
{
    size_t length = strlen(word);
    const char *best = NULL;
    int fewest = LETTERS_MAX;
    for (size_t i = 0; known[i]; i++) {
        int changes = near(word, length, known[i], strlen(known[i]));
        if (changes >= 0 && changes < fewest) {
            best = known[i];
            fewest = changes;
        }
    }
    return best;
}

// Near, for one part of a name: what is short has nothing to misspell in it.
static int near_part(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length == b_length && strncasecmp(a, b, a_length) == 0)
        return 0;
    return a_length < 3 || b_length < 3 ? -1 : near(a, a_length, b, b_length);
}

// How many letters differ, part by part; -1 where some part is another word.
static int near_name(const char *a, const char *b)
{
    static const char between[] = "._ ";
    int changes = 0;
    for (;;) {
        size_t a_length = strcspn(a, between), b_length = strcspn(b, between);
        int here = near_part(a, a_length, b, b_length);
        if (here < 0)
            return -1;
        changes += here;
        a += a_length;
        b += b_length;
        if (*a == '\0' || *b == '\0')
            return *a == *b ? changes : -1;
        changes += *a++ != *b++;
    }
}

const char *nearest_name(const char *word, const char *const known[])
{
    const char *best = NULL;
    int fewest = LETTERS_MAX;
    for (size_t i = 0; known[i]; i++) {
        int changes = near_name(word, known[i]);
        if (changes >= 0 && changes < fewest) {
            best = known[i];
            fewest = changes;
        }
    }
    return best;
}
