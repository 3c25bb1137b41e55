/**
 * A cache whose limit is the sum of the lengths of its entries. The least recently used ones are removed.
 */
export class LengthLimitedCache<Value> {
  readonly #maxLength: number;
  readonly #entries = new Map<string, { value: Value; length: number }>();
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  add(key: string, value: Value, length: number): void {
    this.#length -= this.#entries.get(key)?.length ?? 0;
    this.#entries.delete(key);
    this.#entries.set(key, { value, length });
    this.#length += length;
    for (const [oldest, { length: removed }] of this.#entries) {
      if (this.#length <= this.#maxLength || oldest === key) break;
      this.#entries.delete(oldest);
      this.#length -= removed;
    }
  }
}
