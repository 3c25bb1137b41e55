import { spawn } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { getRuntimePidFile, writeAtomically } from './data-folder.ts';
import type { Log } from './log.ts';
import { readProcessName } from './process-info.ts';

/*
 * V8 lets a heap grow to hundreds of megabytes before the first full collection, for one page in one browser. What a request
 * leaves behind (its request, answer and streams) is freed by full collections alone, and most of its bytes lie outside of
 * the heap, where V8 does not count them. Young ones are made large enough that few requests are copied; threads of the
 * collector's own take more processor time than they save, where the runtime has one thread and clients the other.
 */
export const v8Flags = ['--initial-old-space-size=32', '--max-semi-space-size=8', '--single-threaded-gc'];

const mostRestarts = 5;
const withinMilliseconds = 600_000;

/** Tells at each restart whether it is one too many: there were five within ten minutes. */
export function createRestartLimit(): () => boolean {
  let restarts: number[] = [];
  return () => {
    const now = performance.now();
    restarts = [...restarts.filter((then) => now - then < withinMilliseconds), now];
    return restarts.length > mostRestarts;
  };
}

const checks = 3;

interface WatchOptions {
  /** Whether the runtime answers; it may leave that open for as long as it likes. */
  check(): Promise<boolean>;
  /** Ends the runtime, which is then started again. */
  kill(): Promise<void>;
  patienceSeconds: number;
  log: Log;
}

/**
 * Asks the runtime whether it answers, and ends one that has not for as long as the patience lasts. A check counts as
 * unanswered when the next one is due, so that a machine that slept is not taken for a runtime that hangs.
 */
export function watchRuntime({ check, kill, patienceSeconds, log }: WatchOptions): () => void {
  let unanswered = 0;
  const ask = async () => {
    unanswered += 1;
    if (unanswered > checks) {
      unanswered = 0;
      log.write('error', `The runtime did not respond for ${patienceSeconds} s and was killed.`);
      await kill();
    } else if (await check()) unanswered = 0;
  };
  const failed = (error: unknown) => log.write('error', `The runtime could not be checked: ${error}`);
  const timer = setInterval(() => ask().catch(failed), (patienceSeconds * 1000) / checks).unref();
  return () => clearInterval(timer);
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/*
 * Miniflare does not tell workerd's process number and leaves workerd running when this process is killed.
 * So workerd is started by a shell that writes its number down, also at each restart, leads its output past Miniflare
 * into the log's pipe, closes a door in its configuration, and becomes workerd; and a watchdog, another shell, reads a
 * pipe that only this process holds and ends workerd when the pipe closes.
 */
const createLauncher = (workerd: string) => `#!/bin/sh
trap '' INT HUP TERM
umask 077
[ -z "$OCTAVO_WORKERD_PID_FILE" ] || echo "$$" > "$OCTAVO_WORKERD_PID_FILE"
[ ! -p "$OCTAVO_WORKERD_OUTPUT" ] || exec > "$OCTAVO_WORKERD_OUTPUT" 2>&1
if [ "$1" = serve ] && [ -n "$OCTAVO_WORKERD_CONFIG" ]; then
  ${quote(process.execPath)} "$OCTAVO_HIDE_CONNECT" > "$OCTAVO_WORKERD_CONFIG" || exit 1
  exec < "$OCTAVO_WORKERD_CONFIG"
  rm -f "$OCTAVO_WORKERD_CONFIG"
fi
exec ${quote(workerd)} "$@"
`;

const WATCHDOG = `
cat > /dev/null
pid=$(cat "$1" 2> /dev/null) || exit 0
rm -f "$1"
name=$(cat "/proc/$pid/comm" 2> /dev/null || ps -o comm= -p "$pid")
case "$name" in *workerd*) kill -9 "$pid" ;; esac
`;

/** When the runtime of this process started, in milliseconds: the launcher writes its file before it becomes workerd. */
export const readRuntimeStart = async (dataDir: string): Promise<number> =>
  Math.floor((await stat(getRuntimePidFile(dataDir, process.pid))).mtimeMs);

interface WorkerdGuard {
  /** The program that becomes workerd. */
  launcher: string;
  env: Record<string, string>;
  /** Ends workerd, where it runs. */
  kill(): Promise<void>;
  release(): Promise<void>;
}

/** Prepares the launcher and starts the watchdog; `env` is what the runtime has to be started with. */
export async function guardWorkerd(workerd: string, outDir: string, dataDir: string): Promise<WorkerdGuard> {
  const pidFile = getRuntimePidFile(dataDir, process.pid);
  const launcher = path.join(outDir, 'workerd.sh');
  await writeAtomically(launcher, createLauncher(workerd), 0o755);
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'watchdog', pidFile], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  return {
    launcher,
    env: {
      OCTAVO_WORKERD_PID_FILE: pidFile,
    },
    async kill() {
      const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
      const name = pid > 0 ? await readProcessName(pid) : undefined;
      if (name?.includes('workerd')) process.kill(pid, 'SIGKILL');
    },
    async release() {
      await rm(pidFile, { force: true });
      watchdog.stdin.end();
    },
  };
}
