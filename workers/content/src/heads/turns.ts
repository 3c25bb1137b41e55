/**
 * Takes turns on named things. A Durable Object does not serialize calls by itself: they interleave at every await of
 * the database, so each call waits here for those before it that share a name with it.
 */
export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>();

  async take<Value>(names: string[], work: () => Promise<Value>): Promise<Value> {
    const before = names.map((name) => this.#tails.get(name));
    const turn = Promise.allSettled(before).then(work);
    const settled = turn.catch(() => undefined);
    for (const name of names) this.#tails.set(name, settled);
    try {
      return await turn;
    } finally {
      for (const name of names) if (this.#tails.get(name) === settled) this.#tails.delete(name);
    }
  }
}
