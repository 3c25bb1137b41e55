import { type ChildProcess, spawn } from 'node:child_process';

/*
 * Script processes do not end with this one. A shell reads which there are from a pipe that only this process holds, and
 * ends them when the pipe closes.
 */
const WATCHDOG = `
while read -r line; do pids=$line; done
for pid in $pids; do
  name=$(cat "/proc/$pid/comm" 2> /dev/null || ps -o comm= -p "$pid")
  case "$name" in *workerd*) kill -9 "$pid" ;; esac
done
`;

/** Ends the processes that it knows when this process ends, however that comes about. */
export class ScriptWatchdog {
  readonly #pids = new Set<number>();
  #shell: ChildProcess | undefined;

  add(pid: number): void {
    this.#pids.add(pid);
    this.#shell ??= this.#start();
    this.#tell();
  }

  delete(pid: number): void {
    this.#pids.delete(pid);
    this.#tell();
    if (this.#pids.size > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', WATCHDOG], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    shell.unref();
    // One that cannot be started, or is gone, is started again with the next process.
    const forget = () => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.on('error', forget).on('exit', forget);
    shell.stdin?.on('error', () => undefined);
    return shell;
  }

  #tell(): void {
    this.#shell?.stdin?.write(`${[...this.#pids].join(' ')}\n`);
  }
}
