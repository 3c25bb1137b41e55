import { spawn } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { getRuntimePidFile, writeAtomically } from './data-folder.ts';
import type { Log } from './log.ts';
import { readProcessName } from './process-info.ts';

/*
 * By default V8 lets a heap grow by hundreds of megabytes before the first full collection. That suits a page in a
 * browser, but here only full collections free the objects of a request (request, response and streams), whose bytes
 * are mostly outside the heap, where V8 does not count them. The young generation is so large that V8 rarely copies
 * objects of running requests. Collector threads would take more processor time than they save, because the runtime has
 * one thread and clients use the other processor. The machine's worker collects garbage itself when it is idle.
 */
export const v8Flags = [
  ...['--initial-old-space-size=32', '--max-semi-space-size=8', '--single-threaded-gc'],
  '--expose-gc',
];

const mostRestarts = 5;
const withinMilliseconds = 600_000;

/**
 * Returns a function that counts a restart and returns whether there were too many. The limit is five restarts within
 * ten minutes.
 */
export function createRestartLimit(): () => boolean {
  let restarts: number[] = [];
  return () => {
    const now = performance.now();
    restarts = [...restarts.filter((restartedAt) => now - restartedAt < withinMilliseconds), now];
    return restarts.length > mostRestarts;
  };
}

const checks = 3;

interface WatchOptions {
  /** Returns whether the runtime responds. The returned promise may never settle. */
  check(): Promise<boolean>;
  /** Ends the runtime, which is then restarted. */
  kill(): Promise<void>;
  patienceSeconds: number;
  log: Log;
}

/**
 * Checks the runtime regularly and ends it if it does not respond for `patienceSeconds`. A check counts as failed when
 * the next one is due, so that a suspended machine is not mistaken for a hanging runtime.
 */
export function watchRuntime({ check, kill, patienceSeconds, log }: WatchOptions): () => void {
  let unanswered = 0;
  const requestHealth = async () => {
    unanswered += 1;
    if (unanswered > checks) {
      unanswered = 0;
      log.write('error', `The runtime did not respond for ${patienceSeconds} s and was killed.`);
      await kill();
    } else if (await check()) unanswered = 0;
  };
  const reportFailure = (error: unknown) => log.write('error', `The runtime could not be checked: ${error}`);
  const timer = setInterval(() => requestHealth().catch(reportFailure), (patienceSeconds * 1000) / checks).unref();
  return () => clearInterval(timer);
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/*
 * Miniflare does not report workerd's process id, and leaves workerd running when this process is killed. So a shell
 * starts workerd: at each start it writes the process id to a file, redirects the output to the log's pipe, filters the
 * configuration, and then becomes workerd. Another shell is the watchdog. It reads a pipe that only this process holds,
 * and ends workerd when the pipe closes.
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

/**
 * Returns the start time of this process's runtime in milliseconds: the time at which the launcher wrote its file, just
 * before it became workerd.
 */
export const readRuntimeStart = async (dataDir: string): Promise<number> =>
  Math.floor((await stat(getRuntimePidFile(dataDir, process.pid))).mtimeMs);

interface WorkerdGuard {
  /** The program that becomes workerd. */
  launcher: string;
  env: Record<string, string>;
  /** Ends workerd, if it is running. */
  kill(): Promise<void>;
  release(): Promise<void>;
}

/** Prepares the launcher and starts the watchdog; `env` is the environment of the runtime. */
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
