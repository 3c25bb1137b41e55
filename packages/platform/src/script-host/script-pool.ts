import { type ProcessOptions, ScriptProcess } from './script-process.ts';

const maxCharacters = 16_000_000;

/** A cache of script sources, so that they are not read for each run. */
export class ScriptCache {
  /** The texts by key, the least recently used first. */
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

  getText(name: string): string | undefined {
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
const maxCallers = 10_000;

/** The recent run time of each caller, which decays with time. */
export class RecentUse {
  /** The uses by caller, the least recently changed first. */
  readonly #uses = new Map<string, Use>();

  add(name: string, milliseconds: number): void {
    const sum = this.getMilliseconds(name) + milliseconds;
    this.#uses.delete(name);
    this.#uses.set(name, { milliseconds: sum, at: performance.now() });
    const [oldest] = this.#uses.keys();
    if (oldest !== undefined && this.#uses.size > maxCallers) this.#uses.delete(oldest);
  }

  getMilliseconds(name: string): number {
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
  /**
   * Sockets for the processes. There are more sockets than processes may run, because an ending process uses its socket
   * until it has ended.
   */
  sockets: string[];
  /** Maximum number of processes. */
  maxProcesses: number;
  /** The time after which an idle process ends. */
  idleMilliseconds: number;
}

/**
 * The processes that run scripts. A process serves one tenant until it ends. The process that has been idle longest
 * ends first.
 */
export class ScriptPool {
  readonly #options: PoolOptions;
  readonly #pooled = new Set<PooledProcess>();
  readonly #ending = new Set<Promise<void>>();
  readonly #sockets: string[];

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sockets = [...options.sockets];
  }

  /** Runs `work` with a process that no other work uses. The caller must not run more than `maxProcesses` at once. */
  async use<Value>(tenant: string, work: (process: ScriptProcess) => Promise<Value>): Promise<Value> {
    const pooled = this.#findIdle(tenant) ?? (await this.#start(tenant));
    clearTimeout(pooled.idle);
    pooled.isWorking = true;
    try {
      return await work(pooled.process);
    } finally {
      pooled.isWorking = false;
      if (pooled.process.isUsable) this.#setIdle(pooled);
      else this.#end(pooled);
    }
  }

  async end(): Promise<void> {
    for (const pooled of this.#pooled) this.#end(pooled);
    await Promise.all(this.#ending);
  }

  #findIdle(tenant: string): PooledProcess | undefined {
    return [...this.#pooled].find((pooled) => pooled.tenant === tenant && !pooled.isWorking && pooled.process.isUsable);
  }

  async #start(tenant: string): Promise<PooledProcess> {
    const idle = [...this.#pooled].find(({ isWorking }) => !isWorking);
    if (idle !== undefined && this.#pooled.size >= this.#options.maxProcesses) this.#end(idle);
    while (this.#sockets.length === 0) await Promise.race(this.#ending);
    const [socket = ''] = this.#sockets;
    const process = new ScriptProcess({ ...this.#options, socket });
    this.#sockets.shift();
    const pooled: PooledProcess = { process, socket, tenant, isWorking: true };
    this.#pooled.add(pooled);
    return pooled;
  }

  #setIdle(pooled: PooledProcess): void {
    // Moves the process to the end of the order in which processes end.
    this.#pooled.delete(pooled);
    this.#pooled.add(pooled);
    pooled.idle = setTimeout(() => this.#end(pooled), this.#options.idleMilliseconds).unref();
  }

  #end(pooled: PooledProcess): void {
    clearTimeout(pooled.idle);
    if (!this.#pooled.delete(pooled)) return;
    const releaseSocket = () => {
      this.#ending.delete(ended);
      this.#sockets.push(pooled.socket);
    };
    const ended = pooled.process.end().then(releaseSocket, releaseSocket);
    this.#ending.add(ended);
  }
}
