/*
 * V8 lets a heap grow to hundreds of megabytes before the first full collection, for one page in one browser. What a request
 * leaves behind (its request, answer and streams) is freed by full collections alone, and most of its bytes lie outside of
 * the heap, where V8 does not count them. Young ones are made large enough that few requests are copied; threads of the
 * collector's own take more processor time than they save, where the runtime has one thread and clients the other.
 */
export const v8Flags = ['--initial-old-space-size=32', '--max-semi-space-size=8', '--single-threaded-gc'];
