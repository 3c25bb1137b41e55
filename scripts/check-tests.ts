import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/** How many tests passed, and a line for each that did not: its file, its name, and what it said first. */
export interface TestOutcome {
  passed: number;
  failures: string[];
}

/** One run of vitest: how the workers run meanwhile, and whether the long tests are in it. */
interface TestRun {
  shape: 'machine' | 'workers';
  isOfAll: boolean;
  /** It follows a run of all tests on the machine, and leaves out what takes long besides. */
  isSecond?: boolean;
}

/** The ordinary suite on one shape; the run of all tests takes the long ones too, and then the workers apart as well. */
export function plannedRuns({ OCTAVO_TEST, OCTAVO_SHAPE }: NodeJS.ProcessEnv, filters: string[]): TestRun[] {
  const shape = readShape(OCTAVO_SHAPE);
  const isOfAll = OCTAVO_TEST === 'all';
  const isOfBoth = isOfAll && !OCTAVO_SHAPE && filters.length === 0;
  return [{ shape, isOfAll }, ...(isOfBoth ? [{ shape: 'workers', isOfAll: false, isSecond: true } as const] : [])];
}

const firstLine = (text: string | undefined): string => (text ?? '').split('\n', 1)[0]?.slice(0, 300) ?? '';

/** The failures of a report. A file that does not load has no failed test of its own, so it counts as one. */
export function failuresOf({ testResults }: Report): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = path.relative(root, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [`${file}: ${firstLine(message)}`];
      return failed.map((test) => `${file}: ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
    });
}

const memoryDisk = '/dev/shm';
const LEAST_FREE_BYTES = 6 * 1024 ** 3;

/** The databases of tests are short-lived: in memory, where there is room, no commit waits for a disk. */
async function temporaryFolder(): Promise<string> {
  if (process.env.TMPDIR) return tmpdir();
  const disk = await statfs(memoryDisk).catch(() => undefined);
  return disk && disk.bavail * disk.bsize >= LEAST_FREE_BYTES ? memoryDisk : tmpdir();
}

// No run begins after one that somebody ended.
let isEnded = false;

/** Runs vitest with its output shown, and counts from the report it leaves. */
export async function runTests(filters: string[], { shape, isOfAll, isSecond = false }: TestRun): Promise<TestOutcome> {
  if (isEnded) return { passed: 0, failures: [] };
  const reportFile = path.join(outDir, `test-report-${shape}.json`);
  await mkdir(outDir, { recursive: true });
  await rm(reportFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn('vitest', ['run', ...reporters, ...filters], {
    cwd: root,
    env: {
      ...process.env,
      OCTAVO_SHAPE: shape,
      OCTAVO_TEST: isOfAll ? 'all' : '',
      OCTAVO_TEST_SECOND: isSecond ? '1' : '',
      TMPDIR: await temporaryFolder(),
      // Tests start many processes of the same sources, which are read and compiled once.
      NODE_COMPILE_CACHE: path.join(outDir, 'compiled'),
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
  const ended = `vitest ended with exit code ${code}`;
  if (text === undefined) return { passed: 0, failures: code === 0 ? [] : [`${ended} and no report`] };
  const report = JSON.parse(text) as Report;
  const failures = failuresOf(report);
  const isUntold = failures.length === 0 && code !== 0;
  return {
    passed: report.numPassedTests,
    failures: isUntold ? [`${ended}, though no test failed: see above`] : failures,
  };
}
