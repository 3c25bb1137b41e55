interface Result {
  results: Record<string, unknown>[];
}

/** Maximum total size of all results, and of one result, in characters. */
const maxSize = 8_000_000;
const maxResultSize = 200_000;
/** Estimated size of a value in a row, without the characters of a text. */
const valueSize = 16;

/** Returns the size of rows; infinite if it exceeds the limit, or if they contain bytes, which callers could change. */
function getSize(rows: Result['results']): number {
  let size = valueSize;
  for (const row of rows) {
    for (const name in row) {
      const value = row[name];
      if (typeof value === 'object' && value !== null) return Number.POSITIVE_INFINITY;
      size += valueSize + (typeof value === 'string' ? value.length : 0);
    }
    if (size > maxResultSize) return Number.POSITIVE_INFINITY;
  }
  return size;
}

/** Returns the parameters of a statement as text; undefined if they contain bytes. */
export const getResultKey = (params: readonly unknown[]): string | undefined =>
  params.some((param) => typeof param === 'object' && param !== null) ? undefined : JSON.stringify(params);

/**
 * The results of reads, by statement and parameters, until the next write. The parameters contain everything that the
 * rows depend on, such as the hash of the caller's token, so no caller receives the rows of another one.
 */
export class RowCache<Statement, Of extends Result> {
  readonly #results = new Map<Statement, Map<string, Of>>();
  #size = 0;

  find(statement: Statement, key: string | undefined): Of | undefined {
    return key === undefined ? undefined : this.#results.get(statement)?.get(key);
  }

  /** Caches and returns a result. Its rows are frozen, because later reads return the same objects. */
  add(statement: Statement, key: string | undefined, result: Of): Of {
    const size = key === undefined ? Number.POSITIVE_INFINITY : key.length + getSize(result.results);
    if (key === undefined || size > maxResultSize) return result;
    if (this.#size + size > maxSize) this.clear();
    this.#size += size;
    for (const row of result.results) Object.freeze(row);
    Object.freeze(result.results);
    const ofStatement = this.#results.get(statement) ?? new Map<string, Of>();
    this.#results.set(statement, ofStatement.set(key, result));
    return result;
  }

  clear(): void {
    this.#results.clear();
    this.#size = 0;
  }
}
