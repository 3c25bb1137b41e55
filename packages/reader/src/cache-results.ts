/** Wraps `compute` in a least-recently-used cache of at most `limit` results. */
export function cacheResults<Result>(limit: number, compute: (text: string) => Result): (text: string) => Result {
  const cache = new Map<string, Result>();
  return (text) => {
    const result = cache.has(text) ? (cache.get(text) as Result) : compute(text);
    cache.delete(text);
    cache.set(text, result);
    const [oldest = text] = cache.size > limit ? cache.keys() : [];
    if (oldest !== text) cache.delete(oldest);
    return result;
  };
}
