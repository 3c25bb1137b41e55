/** The total duration of statements, in milliseconds, after which the next caller yields to the event loop. */
const maxMilliseconds = 5;
/** The usual duration of the code around a statement, in milliseconds. */
const overheadMilliseconds = 0.05;

/**
 * Statements run synchronously, so long work of many statements would block all requests until its end. After a few
 * milliseconds of statements, the next caller yields to the event loop.
 */
export class Turn {
  #spentMilliseconds = 0;

  get isOver(): boolean {
    return this.#spentMilliseconds > maxMilliseconds;
  }

  spend(milliseconds: number): void {
    this.#spentMilliseconds += milliseconds + overheadMilliseconds;
  }

  async next(): Promise<void> {
    await scheduler.wait(0);
    this.#spentMilliseconds = 0;
  }
}
