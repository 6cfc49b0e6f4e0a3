// A folder with all that is in it, removed by nothing but system calls: a signal handler may do it.
// Links are removed and not followed.
#ifndef TEMPORARY_TREE_H
#define TEMPORARY_TREE_H

void temporary_tree_remove(const char *path);

// Of a folder that is open: what is in it.
void temporary_tree_empty(int folder);

#endif
