import { RecentUse } from './script-pool.ts';

interface QueueLimits {
  /** Maximum concurrent work in total, for a tenant, for a caller, and of anonymous callers. */
  slots: number;
  slotsOfTenant: number;
  slotsOfCaller: number;
  slotsOfPublic: number;
  /** Maximum waiting work in total and for a caller. */
  waiting: number;
  waitingOfCaller: number;
  /** Maximum waiting time, also for anonymous callers. */
  milliseconds: number;
  publicMilliseconds: number;
}

/** The tenant and the caller of the work. */
interface QueueRequest {
  tenant: string;
  caller: string;
  isPublic: boolean;
}

/** Permission to work, which must be released. */
interface Turn {
  /** Whether other work was waiting when this started. */
  isWaitedFor: boolean;
  leave(): void;
}

interface Waiting {
  asking: QueueRequest;
  end(turn: Turn | undefined): void;
}

const getLane = ({ tenant, caller, isPublic }: QueueRequest): string => JSON.stringify([tenant, caller, isPublic]);

/**
 * Gives callers access in a fair order, so that a caller with many requests delays only itself. The caller with the
 * least current work is next, and among these the one with the least recent work.
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

  /** Resolves to a turn, or to undefined if too many wait or the wait takes too long. */
  enter(request: QueueRequest): Promise<Turn | undefined> {
    if (this.#mayWork(request)) return Promise.resolve(this.#begin(request));
    const waiting = this.#lanes.get(getLane(request))?.length ?? 0;
    const { waitingOfCaller } = this.#limits;
    const hasRoom = this.#count < this.#limits.waiting || (waiting === 0 && this.#makeRoom(getLane(request)));
    return waiting < waitingOfCaller && hasRoom ? this.#wait(request) : Promise.resolve(undefined);
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

  /** Removes a waiting request and moves its lane to the end of the order. Returns undefined if it no longer waits. */
  #remove(lane: string, waiting: Waiting | undefined): Waiting | undefined {
    const all = this.#lanes.get(lane) ?? [];
    if (waiting === undefined || !all.includes(waiting)) return undefined;
    const left = all.filter((each) => each !== waiting);
    this.#count -= 1;
    this.#lanes.delete(lane);
    if (left.length > 0) this.#lanes.set(lane, left);
    return waiting;
  }

  /**
   * Makes room for a lane without waiting requests by removing the last request of the longest lane; among several, of
   * the one with the most recent work.
   */
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
