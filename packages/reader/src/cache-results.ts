/** Wraps `make` in a least-recently-used cache of at most `most` results. */
export function cacheResults<Result>(most: number, make: (text: string) => Result): (text: string) => Result {
  const kept = new Map<string, Result>();
  return (text) => {
    const result = kept.has(text) ? (kept.get(text) as Result) : make(text);
    kept.delete(text);
    kept.set(text, result);
    const [oldest = text] = kept.size > most ? kept.keys() : [];
    if (oldest !== text) kept.delete(oldest);
    return result;
  };
}
