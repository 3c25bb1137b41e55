/** Wraps `compute` in a least-recently-used cache of at most `most` results. */
export function cacheResults<Result>(most: number, compute: (text: string) => Result): (text: string) => Result {
  const cache = new Map<string, Result>();
  return (text) => {
    const result = cache.has(text) ? (cache.get(text) as Result) : compute(text);
    cache.delete(text);
    cache.set(text, result);
    const [oldest = text] = cache.size > most ? cache.keys() : [];
    if (oldest !== text) cache.delete(oldest);
    return result;
  };
}
