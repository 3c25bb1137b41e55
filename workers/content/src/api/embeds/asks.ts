const minute = 60_000;

/** How often others are asked in a minute, at most: whoever calls may name any number of addresses. */
export class Asks {
  readonly #most: number;
  #count = 0;
  #ends = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether one more may be asked now, which then counts. */
  take(now: number): boolean {
    if (now >= this.#ends || now < this.#ends - minute) [this.#count, this.#ends] = [0, now + minute];
    this.#count += 1;
    return this.#count <= this.#most;
  }
}
