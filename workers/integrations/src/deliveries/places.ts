import type { OrganizationId, SendMessage } from '@octavo/schema';

/** Runs that wait for receivers beside the queue, in one isolate. */
const maxRuns = 100;
/** What waits for a place beyond that is found by the sweep. */
const maxRemembered = 10_000;

/**
 * The places of runs that wait for receivers. An organization has less than half as many as are free, so that there is
 * always one for who has none: whoever is slow gets fewer, the fewer there are.
 */
export class Places {
  readonly #runs = new Map<OrganizationId, number>();
  readonly #waiting = new Map<OrganizationId, Set<string>>();
  #taken = 0;
  #remembered = 0;

  /** Takes a place for a run, or remembers who is to have the next one that comes free. */
  take({ organization, subscription }: SendMessage): boolean {
    if (!this.#mayHave(organization)) {
      this.#remember(organization, subscription);
      return false;
    }
    this.#forget(organization, subscription);
    this.#runs.set(organization, this.#runsOf(organization) + 1);
    this.#taken += 1;
    return true;
  }

  /** Gives a place back. Tells who may have one now: of those that wait the first of who has the fewest. */
  free(organization: OrganizationId): SendMessage | undefined {
    const left = this.#runsOf(organization) - 1;
    if (left > 0) this.#runs.set(organization, left);
    else this.#runs.delete(organization);
    this.#taken -= 1;
    const [next] = [...this.#waiting.keys()].sort((one, other) => this.#runsOf(one) - this.#runsOf(other));
    const [subscription] = (next === undefined ? undefined : this.#waiting.get(next)) ?? [];
    if (next === undefined || subscription === undefined || !this.#mayHave(next)) return undefined;
    this.#forget(next, subscription);
    return { organization: next, subscription };
  }

  #mayHave(organization: OrganizationId): boolean {
    return this.#runsOf(organization) < (maxRuns - this.#taken) / 2;
  }

  #runsOf(organization: OrganizationId): number {
    return this.#runs.get(organization) ?? 0;
  }

  #remember(organization: OrganizationId, subscription: string): void {
    const own = this.#waiting.get(organization) ?? new Set();
    if (own.has(subscription) || this.#remembered >= maxRemembered) return;
    this.#waiting.set(organization, own.add(subscription));
    this.#remembered += 1;
  }

  #forget(organization: OrganizationId, subscription: string): void {
    const own = this.#waiting.get(organization);
    if (own?.delete(subscription)) this.#remembered -= 1;
    if (own?.size === 0) this.#waiting.delete(organization);
  }
}
