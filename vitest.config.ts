import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const isOfWorkers = process.env.OCTAVO_SHAPE === 'workers';
const isOfCi = process.env.OCTAVO_TEST === 'ci';
// A complete run and one in CI are followed by a run with separate workers, without long files.
const isSecond = process.env.OCTAVO_TEST_SECOND === '1';
const isOfSelected = process.env.OCTAVO_TEST_FILTERS !== '[]';
const includesSlow = isOfCi || process.env.OCTAVO_TEST === 'all' || isOfWorkers || isOfSelected;
const includesLong = (isOfCi || process.env.OCTAVO_TEST === 'all') && !isSecond;

/** Returns a number that the files of the commit determine, or undefined outside a git repository. */
function readCommitSeed(): number | undefined {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : undefined;
}

// Random tests share one seed. It is printed, and can be set to repeat a run. In CI it follows from the commit, so that
// a run of the same commit anywhere selects the same files and cases.
process.env.OCTAVO_SEED ??= String((isOfCi ? readCommitSeed() : undefined) ?? randomInt(2 ** 31));

/**
 * Returns the test files that match a pattern, without one of several equal parts. CI leaves them out. The files depend
 * on other digits of the seed than the cases in them, so that each case has its turn.
 */
function chooseLeftOut(pattern: string, parts: number): string[] {
  const files = globSync(pattern, { exclude: (name) => name === 'node_modules' });
  const part = Math.floor(Number(process.env.OCTAVO_SEED) / 1000) % parts;
  return files.toSorted().filter((_, index) => index % parts !== part);
}

// Tests whose result does not depend on how the workers run: pure packages, commands, rules on sources, and tests that
// start their own runtime. They only run on the machine.
const notOfWorkers = [
  'packages/**',
  'workers/**',
  'scripts/**',
  'test/bench/**',
  'test/cli/**',
  'test/clients/**',
  'test/deploy/**',
  'test/docs/**',
  'test/platform/{database-parity,log}.slow.test.ts',
  'test/platform/{machine/**,transient-errors.slow.test.ts}',
  'test/publishing/typeset*.test.ts',
  'test/rules/{architecture,asynchronous,batches,contract,documented-operations,events,ids,language}.test.ts',
  'test/rules/{layout,local-runtime,migrations,names,openapi,openapi-documentation,packages.slow,random,rate-limits}.test.ts',
  'test/rules/{records,schema-drift,stored-data,tests,triggers,unfinished,validation-messages,writes}.test.ts',
  'test/support/**',
];

// Tests whose path from HTTP to the database the content tests cover too. They run with separate workers only in the
// run of that shape.
const leftToWorkersAlone = [
  'test/{collaboration,org-admin,permissions,security,sso}/**',
  'test/content/{changes,collections,computed,flatten,imports,links,model,retention,search,space-head,visitors}/**',
  'test/integrations/**',
  // Starting, stopping and killing servers is tested on the machine.
  'test/platform/{*.long,operator,search-migration}.test.ts',
  'test/publishing/**',
  'test/rules/{access.slow,location}.test.ts',
];

/** Starts long files first, then slow ones, so that no process ends long after the others. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const kinds = ['.long.test.ts', '.slow.test.ts', ''];
    const getKind = ({ moduleId }: TestSpecification) => kinds.findIndex((ending) => moduleId.endsWith(ending));
    return (await super.sort(files)).toSorted((a, b) => getKind(a) - getKind(b));
  }
}

export default defineConfig({
  test: {
    include: [
      'packages/**/src/**/*.test.ts',
      'workers/**/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: [
      ...configDefaults.exclude,
      ...(includesSlow ? [] : ['**/*.slow.test.ts']),
      ...(includesLong ? [] : ['**/*.long.test.ts']),
      ...(isOfCi && isSecond ? chooseLeftOut('{packages,scripts,test,workers}/**/*.test.ts', 4) : []),
      ...(isOfCi && !isSecond ? chooseLeftOut('{packages,scripts,test,workers}/**/*.long.test.ts', 12) : []),
      ...(isOfWorkers ? notOfWorkers : []),
      ...(isSecond ? leftToWorkersAlone : []),
    ],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/limits/check-limits.ts'],
    pool: 'forks',
    // State lives in the platform, not in modules, so files may share them: loading them again for each takes a minute.
    isolate: false,
    // Node imports the files itself, and caches what it compiled, instead of Vite transforming each in one process.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--import', './test/support/load-tsx.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    sequence: { sequencer: LongFilesFirst },
    // Some tests wait for timeouts, and a test process waits while its server works: four keep two cores busy.
    // Separate workers take more processor time at each start.
    maxWorkers: isOfWorkers ? 3 : 4,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
