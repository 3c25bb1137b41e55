/** How many milliseconds of statements follow each other before whoever asks next lets others come first. */
const maxMilliseconds = 5;
/** What the code around a statement takes, as a rule. */
const besideMilliseconds = 0.05;

/**
 * Statements are done at once, so that long work made of many would keep requests waiting to its end: whenever they have
 * taken this long in all, whoever asks next waits for a new turn of the event loop.
 */
export class Turn {
  #spent = 0;

  get isOver(): boolean {
    return this.#spent > maxMilliseconds;
  }

  spend(milliseconds: number): void {
    this.#spent += milliseconds + besideMilliseconds;
  }

  async next(): Promise<void> {
    await scheduler.wait(0);
    this.#spent = 0;
  }
}
