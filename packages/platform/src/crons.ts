import { readFile } from 'node:fs/promises';
import { Cron } from 'croner';
import { getCronRecordFile, writeAtomically } from './data-folder.ts';
import type { Log } from './log.ts';
import type { Manifest } from './manifest.ts';
import type { Operator } from './operator.ts';

/** The time of the last run of each cron that runs hourly or less often, stored in the data folder. */
interface CronRecord {
  getLastRun(name: string): Date | undefined;
  recordRun(name: string, time: Date): Promise<void>;
}

async function readRecord(file: string): Promise<Record<string, string>> {
  try {
    const times: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Object.fromEntries(Object.entries(times ?? {}).filter(([, time]) => typeof time === 'string'));
  } catch {
    // A missing or unreadable record counts as a first start.
    return {};
  }
}

export async function openCronRecord(dataDir: string): Promise<CronRecord> {
  const file = getCronRecordFile(dataDir);
  const times = await readRecord(file);
  let writing = Promise.resolve();
  return {
    getLastRun(name) {
      const time = new Date(times[name] ?? '');
      return Number.isNaN(time.getTime()) ? undefined : time;
    },
    recordRun(name, time) {
      times[name] = time.toISOString();
      writing = writing
        .catch(() => undefined)
        .then(() => writeAtomically(file, `${JSON.stringify(times, null, 2)}\n`, 0o600));
      return writing;
    },
  };
}

const HOUR_MS = 3_600_000;

interface CronOptions {
  manifest: Manifest;
  operator: Operator;
  dataDir: string;
  log: Log;
}

interface Scheduled {
  /** The worker and the pattern. */
  name: string;
  job: Cron;
}

/** A cron that runs more often than hourly needs no record of its runs. */
function runsWithinHour(job: Cron): boolean {
  const [first, second] = job.nextRuns(2);
  return first === undefined || second === undefined || second.getTime() - first.getTime() < HOUR_MS;
}

/** The runtime does not start crons itself. A run that takes longer than its interval is not started a second time. */
function schedule(worker: string, cron: string, { operator, log, record }: CronOptions & { record: CronRecord }) {
  const name = `${worker} ${cron}`;
  const logFailure = (reason: unknown) => log.write('error', `The cron "${cron}" of ${worker} failed: ${reason}`);
  const job = new Cron(cron, { protect: true, timezone: 'UTC', unref: true, catch: logFailure }, async () => {
    const started = new Date();
    const outcome = await operator.dispatchCron(worker, cron);
    if (outcome !== 'ok') logFailure(outcome);
    else if (!runsWithinHour(job)) await record.recordRun(name, started);
  });
  return { name, job };
}

/** Runs each missed cron once, one after another. A cron is missed if it was due while the machine was off. */
async function runMissedCrons(scheduled: Scheduled[], record: CronRecord): Promise<void> {
  const now = new Date();
  for (const { name, job } of scheduled) {
    if (runsWithinHour(job)) continue;
    const last = record.getLastRun(name);
    const dueAt = last && job.nextRun(last);
    if (last === undefined) await record.recordRun(name, now);
    else if (dueAt && dueAt <= now) await job.trigger();
  }
}

/** Schedules the crons of all workers until the returned function is called. */
export async function scheduleCrons(options: CronOptions): Promise<() => void> {
  const { manifest, dataDir, log } = options;
  const record = await openCronRecord(dataDir);
  const scheduled = manifest.workers.flatMap(({ name, crons }) =>
    crons.map((cron) => schedule(name, cron, { ...options, record })),
  );
  runMissedCrons(scheduled, record).catch((error) => log.write('error', `Missed crons could not be run: ${error}`));
  return () => {
    for (const { job } of scheduled) job.stop();
  };
}
