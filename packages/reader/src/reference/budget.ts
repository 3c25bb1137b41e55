/** What is drawn of the specifications of one page at most: rows of fields, characters of code, and of descriptions. */
const ofPage = { rows: 4000, code: 160_000, prose: 300_000 };
/** What one block has, however many others there are. */
const atLeast = { rows: 20, code: 1200, prose: 2000 };
const atMost = { rows: 800, code: 60_000, prose: 60_000 };

type Kind = keyof typeof ofPage;

/** What is left to draw of one block: pages of a hundred operations stay pages, and nothing that repeats itself goes on. */
export class Budget {
  readonly #left: Record<Kind, number>;

  constructor(blocks: number) {
    const share = (kind: Kind) =>
      Math.min(atMost[kind], Math.max(atLeast[kind], Math.floor(ofPage[kind] / Math.max(1, blocks))));
    this.#left = { rows: share('rows'), code: share('code'), prose: share('prose') };
  }

  /** Whether there is so much left, which is taken then. */
  take(kind: Kind, amount = 1): boolean {
    if (this.#left[kind] < amount) return false;
    this.#left[kind] -= amount;
    return true;
  }

  left = (kind: Kind): number => this.#left[kind];
}
