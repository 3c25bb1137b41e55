import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { buildPlatform } from '@octavo/platform';
import { checkBundles, type Outcome } from './check-bundles.ts';
import { planRuns, readFilters, readShard, readSuite, runTests, type TestOutcome } from './check-tests.ts';
import { outDir, root } from './settings.ts';
import { exitWithError } from './terminal.ts';

// The checks and tests start many processes from the same sources, which are then compiled only once.
process.env.NODE_COMPILE_CACHE = path.join(outDir, 'compiled');

async function runCommand(command: string, args: string[]): Promise<Outcome> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const [code] = await once(child, 'close');
  return { isOk: code === 0, output };
}

// Three programs, because the globals of Node, Workers and browsers exclude each other. Single-threaded, because
// several threads would check some files more than once.
async function checkTypes(): Promise<Outcome> {
  const configs = ['tsconfig.worker.json', 'tsconfig.json', 'tsconfig.browser.json'];
  const outcomes = await Promise.all(
    configs.map((config) => runCommand('tsc', ['-p', config, '--singleThreaded', '--pretty', 'false'])),
  );
  return { isOk: outcomes.every(({ isOk }) => isOk), output: outcomes.map(({ output }) => output).join('') };
}

async function buildWorkers(): Promise<Outcome> {
  try {
    await buildPlatform({ root, outDir });
    return { isOk: true, output: '' };
  } catch (error) {
    return { isOk: false, output: error instanceof Error ? error.message : String(error) };
  }
}

const lines: string[] = [];
const includesLong = readSuite(process.env) !== 'ordinary';

/** Returns the line that reports the result and duration of a check. */
function reportRun(name: string, isOk: boolean, started: number): string {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const line = `  ${name.padEnd(24)}${isOk ? 'ok' : 'FAILED'.padEnd(6)}${seconds.padStart(isOk ? 10 : 6)} s`;
  lines.push(line);
  return line;
}

async function runCheck(name: string, work: () => Promise<Outcome>): Promise<boolean> {
  const started = performance.now();
  const { isOk, output } = await work();
  if (!isOk && output) console.log(output.trimEnd());
  console.log(reportRun(name, isOk, started));
  return isOk;
}

async function checkAll(): Promise<boolean> {
  const results = await Promise.all([
    runCheck('lint and format', () => runCommand('biome', ['check', '--error-on-warnings'])),
    runCheck('types', checkTypes),
    runCheck('build', buildWorkers),
  ]);
  if (includesLong) results.push(await runCheck('deploy sizes', checkBundles));
  return results.every(Boolean);
}

const titles = { machine: 'tests', workers: 'tests, separate workers' };

async function runVitest(args: string[]): Promise<TestOutcome & { isOk: boolean }> {
  const sum = { passed: 0, failures: [] as string[], isOk: true };
  for (const planned of planRuns(process.env, readFilters(args))) {
    const started = performance.now();
    const { passed, failures } = await runTests(args, planned);
    const isOk = failures.length === 0 && passed > 0;
    reportRun(titles[planned.shape], isOk, started);
    sum.passed += passed;
    sum.failures.push(...failures);
    sum.isOk &&= isOk;
  }
  return sum;
}

try {
  const args = process.argv.slice(2);
  // The first of several shards also runs all other checks.
  const isOfTests = readFilters(args).length > 0 || (readShard(args)?.index ?? 1) > 1;
  const isClean = isOfTests || (await checkAll());
  const { passed, failures, isOk } = await runVitest(args);
  console.log(`\n${lines.join('\n')}\n`);
  for (const failure of failures) console.log(`  FAILED ${failure}`);
  if (passed + failures.length === 0)
    console.log(includesLong ? 'No test ran.' : 'No test ran. Long tests run with npm run test:all.');
  console.log(`${passed} passed, ${failures.length} failed`);
  process.exit(isClean && isOk ? 0 : 1);
} catch (error) {
  exitWithError(error);
}
