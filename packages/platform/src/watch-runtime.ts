import type { Log } from './log.ts';

const checks = 3;

export interface WatchOptions {
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
      log.write('error', `The runtime did not answer for ${patienceSeconds} s and is ended.`);
      await kill();
    } else if (await check()) unanswered = 0;
  };
  const failed = (error: unknown) => log.write('error', `The runtime was not looked after: ${error}`);
  const timer = setInterval(() => ask().catch(failed), (patienceSeconds * 1000) / checks).unref();
  return () => clearInterval(timer);
}
