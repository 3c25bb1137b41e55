import { RecentUse } from './script-pool.ts';

interface QueueLimits {
  /** Maximum concurrent work: in total, for one tenant, for one caller, and for all anonymous callers together. */
  slots: number;
  slotsOfTenant: number;
  slotsOfCaller: number;
  slotsOfPublic: number;
  /** Maximum number of waiting requests: in total, and for one caller. */
  maxWaiting: number;
  waitingOfCaller: number;
  /** Maximum waiting time: in general, and for anonymous callers. */
  milliseconds: number;
  publicMilliseconds: number;
}

/** The tenant and the caller of the work. */
interface QueueRequest {
  tenant: string;
  caller: string;
  isPublic: boolean;
}

/** The permission to start work. Call `leave` when the work ends. */
interface Slot {
  /** Whether other requests were waiting when this work started. */
  isWaitedFor: boolean;
  leave(): void;
}

interface Waiting {
  request: QueueRequest;
  end(slot: Slot | undefined): void;
}

const getQueueName = ({ tenant, caller, isPublic }: QueueRequest): string => JSON.stringify([tenant, caller, isPublic]);

/**
 * Gives callers access in a fair order, so that a caller with many requests delays only itself. The next caller is the
 * one that has the least work running. If several have equally little, it is the one with the least recent work.
 */
export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #working = new Map<string, number>();
  readonly #queues = new Map<string, Waiting[]>();
  readonly #use = new RecentUse();
  #count = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Resolves to a slot, or to undefined if too many wait or the wait takes too long. */
  enter(request: QueueRequest): Promise<Slot | undefined> {
    if (this.#mayWork(request)) return Promise.resolve(this.#begin(request));
    const waitingCount = this.#queues.get(getQueueName(request))?.length ?? 0;
    const { waitingOfCaller } = this.#limits;
    const hasRoom =
      this.#count < this.#limits.maxWaiting || (waitingCount === 0 && this.#makeRoom(getQueueName(request)));
    return waitingCount < waitingOfCaller && hasRoom ? this.#wait(request) : Promise.resolve(undefined);
  }

  #getBounds(request: QueueRequest): [string, number][] {
    const { slots, slotsOfTenant, slotsOfCaller, slotsOfPublic } = this.#limits;
    return [
      ['all', slots],
      [`tenant ${request.tenant}`, slotsOfTenant],
      [`caller ${getQueueName(request)}`, slotsOfCaller],
      ...(request.isPublic ? [['public', slotsOfPublic] satisfies [string, number]] : []),
    ];
  }

  #countWorking(name: string): number {
    return this.#working.get(name) ?? 0;
  }

  #mayWork(request: QueueRequest): boolean {
    return this.#getBounds(request).every(([name, most]) => this.#countWorking(name) < most);
  }

  #begin(request: QueueRequest): Slot {
    const [queueName, names] = [getQueueName(request), this.#getBounds(request).map(([name]) => name)];
    for (const name of names) this.#working.set(name, this.#countWorking(name) + 1);
    const began = performance.now();
    const release = () => {
      for (const name of names) {
        const remaining = this.#countWorking(name) - 1;
        if (remaining > 0) this.#working.set(name, remaining);
        else this.#working.delete(name);
      }
      this.#use.add(queueName, performance.now() - began);
      this.#startNext();
    };
    return { isWaitedFor: [...this.#queues.keys()].some((other) => other !== queueName), leave: release };
  }

  #wait(request: QueueRequest): Promise<Slot | undefined> {
    const { promise, resolve } = Promise.withResolvers<Slot | undefined>();
    const waiter: Waiting = { request, end: resolve };
    const queueName = getQueueName(request);
    const { milliseconds, publicMilliseconds } = this.#limits;
    const stopWaiting = () => this.#remove(queueName, waiter)?.end(undefined);
    const timer = setTimeout(stopWaiting, request.isPublic ? publicMilliseconds : milliseconds);
    this.#queues.set(queueName, [...(this.#queues.get(queueName) ?? []), waiter]);
    this.#count += 1;
    return promise.finally(() => clearTimeout(timer));
  }

  /**
   * Removes a waiting request and moves its queue to the end of the order. Returns undefined if the request no longer
   * waits.
   */
  #remove(queueName: string, waiter: Waiting | undefined): Waiting | undefined {
    const all = this.#queues.get(queueName) ?? [];
    if (waiter === undefined || !all.includes(waiter)) return undefined;
    const remaining = all.filter((waiting) => waiting !== waiter);
    this.#count -= 1;
    this.#queues.delete(queueName);
    if (remaining.length > 0) this.#queues.set(queueName, remaining);
    return waiter;
  }

  /**
   * Makes room for the first request of a queue by removing the last request of the longest queue. If several queues
   * are equally long, chooses the one with the most recent work.
   */
  #makeRoom(newcomer: string): boolean {
    const compareQueues = ([a, { length: m }]: [string, Waiting[]], [b, { length: n }]: [string, Waiting[]]) =>
      n - m || this.#use.getMilliseconds(b) - this.#use.getMilliseconds(a);
    const [longest] = [...this.#queues].sort(compareQueues);
    if (longest === undefined) return false;
    const [queueName, all] = longest;
    if (all.length === 1 && this.#use.getMilliseconds(queueName) <= this.#use.getMilliseconds(newcomer)) return false;
    this.#remove(queueName, all.at(-1))?.end(undefined);
    return true;
  }

  #startNext(): void {
    const compareQueues = (a: string, b: string) =>
      this.#countWorking(`caller ${a}`) - this.#countWorking(`caller ${b}`) ||
      this.#use.getMilliseconds(a) - this.#use.getMilliseconds(b);
    for (const queueName of [...this.#queues.keys()].sort(compareQueues)) {
      const [first] = this.#queues.get(queueName) ?? [];
      if (first === undefined || !this.#mayWork(first.request)) continue;
      this.#remove(queueName, first);
      first.end(this.#begin(first.request));
      return;
    }
  }
}
