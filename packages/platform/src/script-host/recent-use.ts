interface Use {
  milliseconds: number;
  at: number;
}

const halfLifeMilliseconds = 30_000;
const maxKept = 10_000;

/** How long each worked lately: what is past counts less and less. */
export class RecentUse {
  /** The longest unchanged one first. */
  readonly #uses = new Map<string, Use>();

  add(name: string, milliseconds: number): void {
    const sum = this.of(name) + milliseconds;
    this.#uses.delete(name);
    this.#uses.set(name, { milliseconds: sum, at: performance.now() });
    const [oldest] = this.#uses.keys();
    if (oldest !== undefined && this.#uses.size > maxKept) this.#uses.delete(oldest);
  }

  of(name: string): number {
    const use = this.#uses.get(name);
    return use === undefined ? 0 : use.milliseconds * 0.5 ** ((performance.now() - use.at) / halfLifeMilliseconds);
  }
}
