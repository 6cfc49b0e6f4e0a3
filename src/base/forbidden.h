// Memory that nobody may touch, where AddressSanitizer watches; elsewhere this does nothing. What is
// given back to the system has to be allowed again first.
#ifndef FORBIDDEN_H
#define FORBIDDEN_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define FORBIDDEN_IS_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FORBIDDEN_IS_WATCHED
#endif
#endif

#ifdef FORBIDDEN_IS_WATCHED
#include <sanitizer/asan_interface.h>
enum { FORBIDDEN_BYTES = 64 }; // to be left behind a piece of memory so that its end is noticed
#else
enum { FORBIDDEN_BYTES = 0 };
#endif

static inline void forbid(const void *address, size_t bytes)
{
#ifdef FORBIDDEN_IS_WATCHED
    __asan_poison_memory_region(address, bytes);
#else
    (void)address, (void)bytes;
#endif
}

static inline void allow(const void *address, size_t bytes)
{
#ifdef FORBIDDEN_IS_WATCHED
    __asan_unpoison_memory_region(address, bytes);
#else
    (void)address, (void)bytes;
#endif
}

#endif
