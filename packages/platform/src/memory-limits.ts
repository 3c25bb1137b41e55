/*
 * V8 lets each heap grow to hundreds of megabytes before the first full collection, for one page in one browser;
 * here some fifty heaps share a process. What a request leaves behind (its request, answer and streams) is freed
 * by full collections alone, and most of its bytes lie outside of the heap, where V8 does not count them.
 */
export const v8Flags = ['--initial-old-space-size=64', '--max-semi-space-size=16', '--single-threaded-gc'];
