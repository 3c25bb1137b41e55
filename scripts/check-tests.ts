import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { outDir, readShape, root } from './settings.ts';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

export interface TestCount {
  passed: number;
  failed: number;
}

/** One run of vitest: how the workers run meanwhile, and whether the long tests are in it. */
export interface TestRun {
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

// A file that does not load has no failed test of its own, so it counts as one.
function countFailures({ numFailedTests, testResults }: Report): number {
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  return numFailedTests + broken.length;
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
export async function runTests(filters: string[], { shape, isOfAll, isSecond = false }: TestRun): Promise<TestCount> {
  if (isEnded) return { passed: 0, failed: 0 };
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
  if (text === undefined) return { passed: 0, failed: code === 0 ? 0 : 1 };
  const report = JSON.parse(text) as Report;
  const failed = countFailures(report);
  return { passed: report.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}
