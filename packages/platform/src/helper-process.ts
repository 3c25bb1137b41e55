import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { readUsage, type Usage } from './process-usage.ts';

/*
 * A shell script that ends helper processes, because they do not end with this process. It reads their ids from a pipe
 * that only this process holds, and ends them when the pipe closes.
 */
const WATCHDOG = `
while read -r line; do pids=$line; done
for pid in $pids; do
  name=$(cat "/proc/$pid/comm" 2> /dev/null || ps -o comm= -p "$pid")
  case "$name" in *workerd*) kill -9 "$pid" ;; esac
done
`;

/** Ends registered processes when this process ends for any reason. */
export class ProcessWatchdog {
  readonly #pids = new Set<number>();
  #shell: ChildProcess | undefined;

  add(pid: number): void {
    this.#pids.add(pid);
    this.#shell ??= this.#start();
    this.#reportState();
  }

  delete(pid: number): void {
    this.#pids.delete(pid);
    this.#reportState();
    if (this.#pids.size > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', WATCHDOG], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    shell.unref();
    // If the watchdog failed to start or has ended, the next process starts it again.
    const forget = () => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.on('error', forget).on('exit', forget);
    shell.stdin?.on('error', () => undefined);
    return shell;
  }

  #reportState(): void {
    this.#shell?.stdin?.write(`${[...this.#pids].join(' ')}\n`);
  }
}

export interface HelperOptions {
  workerd: string;
  /** The configuration file, and the name of the socket in it. */
  config: string;
  socketName: string;
  socket: string;
  watchdog: ProcessWatchdog;
  /**
   * The scheduling priority, from 0 to 19. A process with a higher number gets less processor time if other processes
   * need it.
   */
  niceness: number;
}

/** Time limit for the start of a process. On a busy machine, the start has to wait for other processes. */
const startMilliseconds = 60_000;

// Starts a process with a lower processor priority and without core dumps. If memory runs out, this process is killed
// first.
const LAUNCH = 'ulimit -c 0; echo 1000 2> /dev/null > /proc/self/oom_score_adj; exec nice -n "$0" "$@"';

/** A process of the runtime that is separate from the process that serves requests. */
export class HelperProcess {
  readonly #socket: string;
  readonly #child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
  /** Rejects if the process could not be started. */
  readonly listening: Promise<void>;
  /** The usage after the start. */
  startUsage: Usage | undefined;
  hasEnded = false;
  /** The last messages of the process. */
  errorOutput = '';

  constructor({ workerd, config, socketName, socket, watchdog, niceness }: HelperOptions) {
    this.#socket = socket;
    const listens = ['--control-fd=3', `--socket-addr=${socketName}=unix:${socket}`];
    const args = ['-c', LAUNCH, String(niceness), workerd, 'serve', '--experimental', '-I/', ...listens, config];
    // If the previous server was killed, the socket of its process still exists.
    rmSync(socket, { force: true });
    // Passes no environment, because it can contain a secret.
    this.#child = spawn('/bin/sh', args, { env: {}, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    const { pid } = this.#child;
    if (pid !== undefined) watchdog.add(pid);
    // Errors of the pipes are ignored, because the end of the process is reported anyway.
    for (const each of [this.#child, ...(this.#child.stdio ?? [])]) each?.on('error', () => undefined);
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errorOutput = (this.errorOutput + text).slice(-4096);
    });
    this.ended = once(this.#child, 'close').finally(() => {
      this.hasEnded = true;
      if (pid !== undefined) watchdog.delete(pid);
    });
    this.ended.catch(() => undefined);
    this.listening = this.#listen();
    this.listening.catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const ready = once(this.#child.stdio[3] as Readable, 'data').then(() => undefined);
    const ended = this.ended.then(() => Promise.reject(new Error(`It stopped immediately: ${this.errorOutput}`)));
    const startTimeout = AbortSignal.timeout(startMilliseconds);
    const tooLate = once(startTimeout, 'abort').then(() => Promise.reject(new Error('It did not start in time.')));
    await Promise.race([ready, ended, tooLate]);
    this.startUsage = this.readUsage();
  }

  readUsage(): Usage | undefined {
    return this.#child.pid === undefined ? undefined : readUsage(this.#child.pid);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.ended.catch(() => undefined);
    await rm(this.#socket, { force: true });
  }
}
