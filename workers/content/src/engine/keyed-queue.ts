/**
 * Runs calls that share a key one after another. On Cloudflare, a request that is canceled never ends its call, so a
 * call waits for earlier ones at most `maxWaitMilliseconds`.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #maxWaitMilliseconds: number | undefined;

  constructor({ maxWaitMilliseconds }: { maxWaitMilliseconds?: number } = {}) {
    this.#maxWaitMilliseconds = maxWaitMilliseconds;
  }

  /** Whether calls with this key are waiting or running. */
  has(name: string): boolean {
    return this.#tails.has(name);
  }

  async run<Value>(names: string[], work: () => Promise<Value>): Promise<Value> {
    const predecessors = names.flatMap((name) => this.#tails.get(name) ?? []);
    const result = predecessors.length === 0 ? work() : this.#waitFor(predecessors).then(work);
    const settled = result.catch(() => undefined);
    for (const name of names) this.#tails.set(name, settled);
    try {
      return await result;
    } finally {
      for (const name of names) if (this.#tails.get(name) === settled) this.#tails.delete(name);
    }
  }

  async #waitFor(predecessors: Promise<unknown>[]): Promise<void> {
    const ended = Promise.all(predecessors);
    if (this.#maxWaitMilliseconds === undefined) {
      await ended;
      return;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#maxWaitMilliseconds);
    });
    await Promise.race([ended, timeout]);
    clearTimeout(timer);
  }
}
