/** As much is set between two turns of others, in characters: some 10 ms of work. A request takes several turns. */
export const SHARE = 4_000;

/** Counts work, and lets everybody else in the runtime have a turn after a share of it. */
export class Turns {
  readonly #giveWay: () => Promise<void>;
  #work = 0;

  constructor(giveWay: () => Promise<void>) {
    this.#giveWay = giveWay;
  }

  /** Notes what takes as long as so many characters. */
  count(work: number): void {
    this.#work += work;
  }

  /** To be awaited between two pieces of work. */
  async next(work = 0): Promise<void> {
    this.#work += work;
    if (this.#work < SHARE) return;
    this.#work = 0;
    await this.#giveWay();
  }

  /** Runs steps of work, each as long as so many characters. */
  async run<Result>(steps: Generator<unknown, Result>, work: number): Promise<Result> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      await this.next(work);
    }
  }
}
