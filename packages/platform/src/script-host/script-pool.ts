import { type ProcessOptions, ScriptProcess } from './script-process.ts';

interface Held {
  process: ScriptProcess;
  socket: string;
  tenant: string;
  isWorking: boolean;
  idle?: NodeJS.Timeout;
}

export interface PoolOptions extends Omit<ProcessOptions, 'socket'> {
  /** For a process each; more than there are processes, as one that is ended keeps its own until it is gone. */
  sockets: string[];
  /** How many processes there are at most. */
  most: number;
  /** A process without work ends after this. */
  idleMilliseconds: number;
}

/** The processes that scripts run in, each for one tenant until it ends; the first to go is the longest without work. */
export class ScriptPool {
  readonly #options: PoolOptions;
  readonly #held = new Set<Held>();
  readonly #ending = new Set<Promise<void>>();
  readonly #sockets: string[];

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sockets = [...options.sockets];
  }

  /** Lets a tenant use a process alone; whoever calls this sees to it that no more are used than there may be. */
  async use<Value>(tenant: string, work: (process: ScriptProcess) => Promise<Value>): Promise<Value> {
    const held = this.#idleOf(tenant) ?? (await this.#start(tenant));
    clearTimeout(held.idle);
    held.isWorking = true;
    try {
      return await work(held.process);
    } finally {
      held.isWorking = false;
      if (held.process.isUsable) this.#rest(held);
      else this.#end(held);
    }
  }

  async end(): Promise<void> {
    for (const held of this.#held) this.#end(held);
    await Promise.all(this.#ending);
  }

  #idleOf(tenant: string): Held | undefined {
    return [...this.#held].find((held) => held.tenant === tenant && !held.isWorking && held.process.isUsable);
  }

  async #start(tenant: string): Promise<Held> {
    const idle = [...this.#held].find(({ isWorking }) => !isWorking);
    if (idle !== undefined && this.#held.size >= this.#options.most) this.#end(idle);
    while (this.#sockets.length === 0) await Promise.race(this.#ending);
    const [socket = ''] = this.#sockets;
    const process = new ScriptProcess({ ...this.#options, socket });
    this.#sockets.shift();
    const held: Held = { process, socket, tenant, isWorking: true };
    this.#held.add(held);
    return held;
  }

  #rest(held: Held): void {
    // To the end of the line of those that may go.
    this.#held.delete(held);
    this.#held.add(held);
    held.idle = setTimeout(() => this.#end(held), this.#options.idleMilliseconds).unref();
  }

  #end(held: Held): void {
    clearTimeout(held.idle);
    if (!this.#held.delete(held)) return;
    const freed = () => {
      this.#ending.delete(ended);
      this.#sockets.push(held.socket);
    };
    const ended = held.process.end().then(freed, freed);
    this.#ending.add(ended);
  }
}
