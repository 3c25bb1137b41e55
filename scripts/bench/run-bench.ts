import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { findWorkerd, PlatformError } from '@octavo/platform';
import { root } from '../settings.ts';
import { measureSize } from './measure-size.ts';
import type { BenchOptions } from './options.ts';
import { formatTable } from './report.ts';
import type { Result } from './result.ts';

const run = promisify(execFile);

/** Returns the output of a program, or `unknown` if it cannot be run. */
const readOutput = (program: string, ...args: string[]): Promise<string> =>
  run(program, args, { cwd: root }).then(
    ({ stdout }) => stdout.trim(),
    () => 'unknown',
  );

const describeMachine = (): Result['machine'] => ({
  processor: cpus()[0]?.model ?? 'unknown',
  processors: cpus().length,
  megabytes: Math.round(totalmem() / 1e6),
  kernel: release(),
  load: loadavg()[0] ?? 0,
});

const readVersions = async (): Promise<Result['versions']> => ({
  octavo: await readOutput('git', 'describe', '--always', '--dirty'),
  shape: process.env.OCTAVO_SHAPE ?? 'machine',
  node: process.version,
  workerd: await readOutput(findWorkerd(), '--version'),
  generator: 'autocannon',
});

function createProgressPrinter(): (message: string) => void {
  const isTerminal = process.stderr.isTTY;
  return (message) => process.stderr.write(isTerminal ? `\r${message.slice(0, 78).padEnd(78)}` : `${message}\n`);
}

/**
 * Measures all sizes, prints a table for each, writes the requested files, and returns whether all responses were
 * expected.
 */
export async function runBench(options: BenchOptions): Promise<boolean> {
  if (!existsSync('/proc/self/stat')) throw new PlatformError('The benchmark requires Linux, because it reads /proc.');
  const { seconds, rounds, connections, only } = options;
  const result: Result = {
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions: await readVersions(),
    options: { seconds, rounds, connections, only },
    sizes: [],
  };
  const log = createProgressPrinter();
  for (const size of options.sizes) {
    const sizeResult = await measureSize(size, options, { say: log });
    result.sizes.push(sizeResult);
    if (process.stderr.isTTY) log('\r');
    console.log(formatTable(sizeResult, result));
    if (options.json) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
  }
  const cells = result.sizes.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  return cells.every(({ failures }) => Object.keys(failures).length === 0);
}
