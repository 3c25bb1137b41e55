import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { outDir, readShape, root } from './settings.ts';

interface Report {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/** The number of passed tests, and a line for each failure: its file, name, and the first line of its message. */
export interface TestOutcome {
  passed: number;
  failures: string[];
}

/**
 * The tests that run: the ordinary suite; in CI also the slow files and a twelfth of the long ones; or all files, with
 * all cases of sampled tests.
 */
type Suite = 'ordinary' | 'ci' | 'all';

/** Returns the suite that `OCTAVO_TEST` selects. */
export const readSuite = ({ OCTAVO_TEST }: NodeJS.ProcessEnv): Suite =>
  OCTAVO_TEST === 'all' || OCTAVO_TEST === 'ci' ? OCTAVO_TEST : 'ordinary';

/** One run of vitest. */
interface TestRun {
  /** The arrangement of the workers: in one isolate or in separate ones. */
  shape: 'machine' | 'workers';
  suite: Suite;
  /** Whether the run follows a run of the long tests in the shape `machine`. It then leaves out other slow checks. */
  isSecond?: boolean;
}

/**
 * Returns the runs of vitest: by default the ordinary suite in one shape. A run with long tests is followed by a run
 * with separate workers.
 */
export function planRuns(environment: NodeJS.ProcessEnv, filters: string[]): TestRun[] {
  const suite = readSuite(environment);
  const isOfBoth = suite !== 'ordinary' && !environment.OCTAVO_SHAPE && filters.length === 0;
  return [
    { shape: readShape(environment.OCTAVO_SHAPE), suite },
    ...(isOfBoth ? [{ shape: 'workers', suite: suite === 'ci' ? 'ci' : 'ordinary', isSecond: true } as const] : []),
  ];
}

const getFirstLine = (text: string | undefined): string => (text ?? '').split('\n', 1)[0]?.slice(0, 300) ?? '';

/** Returns the failures of a report. A file that does not load has no failed test, so it counts as one. */
export function findFailures({ testResults }: Report): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = path.relative(root, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [`${file}: ${getFirstLine(message)}`];
      return failed.map((test) => `${file}: ${test.fullName}: ${getFirstLine(test.failureMessages[0])}`);
    });
}

const LONGEST_FILE_MS = 5000;
// A file may also take this share of the total test time, because every file takes longer on a slow machine.
const LARGEST_SHARE = 1 / 50;
// Tests with `betweenMinutes` wait until the crons of a full minute have ended.
const CRON_WAIT_MS = 15_000;

/**
 * Returns the ordinary test files that take too long, from the report of a complete run or of one of several shards.
 */
export function findSlowFiles(
  { testResults }: Report,
  shards: number,
  waitsForCrons: (file: string) => boolean,
): string[] {
  const files = testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }));
  const total = files.reduce((sum, { ms }) => sum + ms, 0) * shards;
  const limit = Math.max(LONGEST_FILE_MS, total * LARGEST_SHARE);
  const getLimit = (file: string) => limit + (waitsForCrons(file) ? CRON_WAIT_MS : 0);
  const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return files
    .filter(({ name, ms }) => ms > getLimit(name))
    .map(({ name, ms }) => {
      const file = path.relative(root, name);
      const limit = formatSeconds(getLimit(name));
      return `${file} took ${formatSeconds(ms)}. The limit is ${limit}. Make it faster or rename it to *.slow.test.ts.`;
    });
}

/** Returns the part of the tests that `--shard=1/2` selects, if it is given. */
export function readShard(args: string[]): { index: number; count: number } | undefined {
  const [, index, count] = args.map((arg) => /^--shard=(\d+)\/(\d+)$/.exec(arg)).find((match) => match !== null) ?? [];
  return index === undefined ? undefined : { index: Number(index), count: Number(count) };
}

export const readFilters = (args: string[]): string[] => args.filter((arg) => !arg.startsWith('--shard='));

const memoryDisk = '/dev/shm';
const LEAST_FREE_BYTES = 6 * 1024 ** 3;

/**
 * Databases of tests are short-lived. They are stored in memory if there is enough, so that no commit waits for a disk.
 */
async function chooseTemporaryFolder(): Promise<string> {
  if (process.env.TMPDIR) return tmpdir();
  const disk = await statfs(memoryDisk).catch(() => undefined);
  return disk && disk.bavail * disk.bsize >= LEAST_FREE_BYTES ? memoryDisk : tmpdir();
}

// After a run was interrupted, no other run starts.
let isEnded = false;

/** Runs vitest with filters and `--shard`, shows its output, and reads the outcome from its report. */
export async function runTests(args: string[], { shape, suite, isSecond = false }: TestRun): Promise<TestOutcome> {
  if (isEnded) return { passed: 0, failures: [] };
  const reportFile = path.join(outDir, `test-report-${shape}.json`);
  await mkdir(outDir, { recursive: true });
  await rm(reportFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn('vitest', ['run', ...reporters, ...args], {
    cwd: root,
    env: {
      ...process.env,
      OCTAVO_SHAPE: shape,
      OCTAVO_TEST: suite,
      OCTAVO_TEST_SECOND: isSecond ? '1' : '',
      OCTAVO_TEST_FILTERS: JSON.stringify(readFilters(args)),
      TMPDIR: await chooseTemporaryFolder(),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      isEnded = true;
      child.kill(signal);
    });
  const [code] = await once(child, 'close');
  const text = await readFile(reportFile, 'utf8').catch(() => undefined);
  const ended = `vitest exited with code ${code}`;
  if (text === undefined) return { passed: 0, failures: code === 0 ? [] : [`${ended} and wrote no report`] };
  const report = JSON.parse(text) as Report;
  const isComplete = suite === 'ordinary' && shape === 'machine' && readFilters(args).length === 0;
  const waitsForCrons = (file: string) => readFileSync(file, 'utf8').includes('betweenMinutes(');
  const slow = isComplete ? findSlowFiles(report, readShard(args)?.count ?? 1, waitsForCrons) : [];
  const failures = [...findFailures(report), ...slow];
  const isUnreported = failures.length === 0 && code !== 0;
  return {
    passed: report.numPassedTests,
    failures: isUnreported ? [`${ended}, but no test failed. See the output above`] : failures,
  };
}
