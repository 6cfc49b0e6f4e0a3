// A folder with all that is in it, as a whole: copied, put back, compared.
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>

enum { TREE_PATH_MAX = 1024 };

// Makes `to` hold exactly what `from` holds. Only what differs is written. Ends the program when that
// is not possible.
void tree_mirror(const char *from, const char *to);

// Whether two files hold the same bytes, or neither is there.
bool tree_same_file(const char *one, const char *other);

// Calls `visit` with the path, inside the folder, of every file that is not the same in both folders
// or is in one of them only.
typedef void TreeVisit(const char *inside, void *context);
void tree_compare(const char *one, const char *other, TreeVisit *visit, void *context);

// Removes a file, or a folder with all that is in it.
void tree_forget(const char *path);

#endif
