import { type ProcessOptions, ScriptProcess } from './script-process.ts';

const maxCharacters = 16_000_000;

/** The texts of scripts that were used last, so that they are read once and not for each run. */
export class ScriptCache {
  /** The longest unused one first. */
  readonly #texts = new Map<string, string>();
  #characters = 0;

  keep(name: string, text: string): void {
    this.#drop(name);
    this.#texts.set(name, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= maxCharacters || oldest === name) return;
      this.#drop(oldest);
    }
  }

  textOf(name: string): string | undefined {
    const text = this.#texts.get(name);
    if (text === undefined) return undefined;
    this.#texts.delete(name);
    this.#texts.set(name, text);
    return text;
  }

  #drop(name: string): void {
    this.#characters -= this.#texts.get(name)?.length ?? 0;
    this.#texts.delete(name);
  }
}

interface Use {
  milliseconds: number;
  at: number;
}

const halfLifeMilliseconds = 30_000;
const maxCachedScripts = 10_000;

/** How long each worked lately: what is past counts less and less. */
export class RecentUse {
  /** The longest unchanged one first. */
  readonly #uses = new Map<string, Use>();

  add(name: string, milliseconds: number): void {
    const sum = this.of(name) + milliseconds;
    this.#uses.delete(name);
    this.#uses.set(name, { milliseconds: sum, at: performance.now() });
    const [oldest] = this.#uses.keys();
    if (oldest !== undefined && this.#uses.size > maxCachedScripts) this.#uses.delete(oldest);
  }

  of(name: string): number {
    const use = this.#uses.get(name);
    return use === undefined ? 0 : use.milliseconds * 0.5 ** ((performance.now() - use.at) / halfLifeMilliseconds);
  }
}

interface PooledProcess {
  process: ScriptProcess;
  socket: string;
  tenant: string;
  isWorking: boolean;
  idle?: NodeJS.Timeout;
}

interface PoolOptions extends Omit<ProcessOptions, 'socket'> {
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
  readonly #held = new Set<PooledProcess>();
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

  #idleOf(tenant: string): PooledProcess | undefined {
    return [...this.#held].find((held) => held.tenant === tenant && !held.isWorking && held.process.isUsable);
  }

  async #start(tenant: string): Promise<PooledProcess> {
    const idle = [...this.#held].find(({ isWorking }) => !isWorking);
    if (idle !== undefined && this.#held.size >= this.#options.most) this.#end(idle);
    while (this.#sockets.length === 0) await Promise.race(this.#ending);
    const [socket = ''] = this.#sockets;
    const process = new ScriptProcess({ ...this.#options, socket });
    this.#sockets.shift();
    const held: PooledProcess = { process, socket, tenant, isWorking: true };
    this.#held.add(held);
    return held;
  }

  #rest(held: PooledProcess): void {
    // To the end of the line of those that may go.
    this.#held.delete(held);
    this.#held.add(held);
    held.idle = setTimeout(() => this.#end(held), this.#options.idleMilliseconds).unref();
  }

  #end(held: PooledProcess): void {
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
