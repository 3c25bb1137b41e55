import { RecentUse } from './script-pool.ts';

interface QueueLimits {
  /** How many work at once: of all, of one tenant, of one caller, and of those that anybody can cause. */
  slots: number;
  slotsOfTenant: number;
  slotsOfCaller: number;
  slotsOfPublic: number;
  /** How many wait, of all and of one caller. */
  waiting: number;
  waitingOfCaller: number;
  /** How long one waits at most, and one that anybody can cause. */
  milliseconds: number;
  publicMilliseconds: number;
}

/** Whose work it is. */
interface QueueRequest {
  tenant: string;
  caller: string;
  isPublic: boolean;
}

/** A turn to work, which has to be left. */
interface Turn {
  /** Whether others waited when it began. */
  isWaitedFor: boolean;
  leave(): void;
}

interface Waiting {
  asking: QueueRequest;
  end(turn: Turn | undefined): void;
}

const getLane = ({ tenant, caller, isPublic }: QueueRequest): string => JSON.stringify([tenant, caller, isPublic]);

/**
 * Lets callers take turns. Whoever asks for much waits for himself: first comes who has the fewest at work, and of these
 * who worked the least lately.
 */
export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #working = new Map<string, number>();
  readonly #lanes = new Map<string, Waiting[]>();
  readonly #use = new RecentUse();
  #count = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Resolves to a turn; to undefined where too many wait, or for too long. */
  enter(asking: QueueRequest): Promise<Turn | undefined> {
    if (this.#mayWork(asking)) return Promise.resolve(this.#begin(asking));
    const waiting = this.#lanes.get(getLane(asking))?.length ?? 0;
    const { waitingOfCaller } = this.#limits;
    const hasRoom = this.#count < this.#limits.waiting || (waiting === 0 && this.#makeRoom(getLane(asking)));
    return waiting < waitingOfCaller && hasRoom ? this.#wait(asking) : Promise.resolve(undefined);
  }

  #boundsOf(asking: QueueRequest): [string, number][] {
    const { slots, slotsOfTenant, slotsOfCaller, slotsOfPublic } = this.#limits;
    return [
      ['all', slots],
      [`tenant ${asking.tenant}`, slotsOfTenant],
      [`caller ${getLane(asking)}`, slotsOfCaller],
      ...(asking.isPublic ? [['public', slotsOfPublic] satisfies [string, number]] : []),
    ];
  }

  #workingOf(name: string): number {
    return this.#working.get(name) ?? 0;
  }

  #mayWork(asking: QueueRequest): boolean {
    return this.#boundsOf(asking).every(([name, most]) => this.#workingOf(name) < most);
  }

  #begin(asking: QueueRequest): Turn {
    const [lane, names] = [getLane(asking), this.#boundsOf(asking).map(([name]) => name)];
    for (const name of names) this.#working.set(name, this.#workingOf(name) + 1);
    const began = performance.now();
    const leave = () => {
      for (const name of names) {
        const left = this.#workingOf(name) - 1;
        if (left > 0) this.#working.set(name, left);
        else this.#working.delete(name);
      }
      this.#use.add(lane, performance.now() - began);
      this.#next();
    };
    return { isWaitedFor: [...this.#lanes.keys()].some((other) => other !== lane), leave };
  }

  #wait(asking: QueueRequest): Promise<Turn | undefined> {
    const { promise, resolve } = Promise.withResolvers<Turn | undefined>();
    const waiting: Waiting = { asking, end: resolve };
    const lane = getLane(asking);
    const { milliseconds, publicMilliseconds } = this.#limits;
    const giveUp = () => this.#remove(lane, waiting)?.end(undefined);
    const timer = setTimeout(giveUp, asking.isPublic ? publicMilliseconds : milliseconds);
    this.#lanes.set(lane, [...(this.#lanes.get(lane) ?? []), waiting]);
    this.#count += 1;
    return promise.finally(() => clearTimeout(timer));
  }

  /** Takes one out that waits, and its lane to the end of the line; undefined where it waits no more. */
  #remove(lane: string, waiting: Waiting | undefined): Waiting | undefined {
    const all = this.#lanes.get(lane) ?? [];
    if (waiting === undefined || !all.includes(waiting)) return undefined;
    const left = all.filter((each) => each !== waiting);
    this.#count -= 1;
    this.#lanes.delete(lane);
    if (left.length > 0) this.#lanes.set(lane, left);
    return waiting;
  }

  /** For one that has nothing waiting, the last of the longest lane goes; of several, of the one that worked the most. */
  #makeRoom(newcomer: string): boolean {
    const order = ([a, { length: m }]: [string, Waiting[]], [b, { length: n }]: [string, Waiting[]]) =>
      n - m || this.#use.of(b) - this.#use.of(a);
    const [longest] = [...this.#lanes].sort(order);
    if (longest === undefined) return false;
    const [lane, all] = longest;
    if (all.length === 1 && this.#use.of(lane) <= this.#use.of(newcomer)) return false;
    this.#remove(lane, all.at(-1))?.end(undefined);
    return true;
  }

  #next(): void {
    const order = (a: string, b: string) =>
      this.#workingOf(`caller ${a}`) - this.#workingOf(`caller ${b}`) || this.#use.of(a) - this.#use.of(b);
    for (const lane of [...this.#lanes.keys()].sort(order)) {
      const [first] = this.#lanes.get(lane) ?? [];
      if (first === undefined || !this.#mayWork(first.asking)) continue;
      this.#remove(lane, first);
      first.end(this.#begin(first.asking));
      return;
    }
  }
}
