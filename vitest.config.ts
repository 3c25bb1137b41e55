import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const isOfWorkers = process.env.OCTAVO_SHAPE === 'workers';
const isOfCi = process.env.OCTAVO_TEST === 'ci';
// A run of all tests or in CI is followed by a second run. It uses separate workers and leaves out the long files.
const isSecond = process.env.OCTAVO_TEST_SECOND === '1';
const isOfSelected = process.env.OCTAVO_TEST_FILTERS !== '[]';
const includesSlow = isOfCi || process.env.OCTAVO_TEST === 'all' || isOfWorkers || isOfSelected;
const includesLong = (isOfCi || process.env.OCTAVO_TEST === 'all') && !isSecond;

/** Returns a number derived from the files of the commit, or undefined outside a git repository. */
function readCommitSeed(): number | undefined {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : undefined;
}

// Random tests share one seed. The run prints it, and OCTAVO_SEED sets it to repeat a run. In CI the seed is derived
// from the commit, so that each run of the same commit selects the same files and cases.
process.env.OCTAVO_SEED ??= String((isOfCi ? readCommitSeed() : undefined) ?? randomInt(2 ** 31));

/**
 * Divides the test files that match a pattern into equal parts, and returns the files of all parts but one. CI leaves
 * these files out. The part and the random cases depend on different digits of the seed, so that each case runs at some
 * time.
 */
function chooseLeftOut(pattern: string, parts: number): string[] {
  const files = globSync(pattern, { exclude: (name) => name === 'node_modules' });
  const part = Math.floor(Number(process.env.OCTAVO_SEED) / 1000) % parts;
  return files.toSorted().filter((_, index) => index % parts !== part);
}

// Tests whose result does not depend on how the workers run: pure packages, commands, rules on sources, and tests that
// start their own runtime. They run only in the shape `machine`.
const shapeIndependentTests = [
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

// Tests that take the same path from HTTP to the database as the content tests. With separate workers, they run only if
// OCTAVO_SHAPE requests this shape, and not in the second run.
const skippedInSecondRun = [
  'test/{collaboration,org-admin,permissions,security,sso}/**',
  'test/content/{changes,collections,computed,flatten,imports,links,model,retention,search,space-head,visitors}/**',
  'test/integrations/**',
  // Starting, stopping and killing servers is tested only in the shape `machine`.
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
      ...(isOfWorkers ? shapeIndependentTests : []),
      ...(isSecond ? skippedInSecondRun : []),
    ],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/limits/check-limits.ts'],
    pool: 'forks',
    // The state is in the platform, not in modules, so files can share modules. Loading them again for each file takes
    // a minute.
    isolate: false,
    // Node imports the files and caches the compiled code, so that Vite does not transform each file in one process.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--import', './test/support/load-tsx.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    sequence: { sequencer: LongFilesFirst },
    // Four processes keep two cores busy, because some tests wait for timeouts, and a test process waits while its
    // server works. Separate workers take more processor time at each start.
    maxWorkers: isOfWorkers ? 3 : 4,
    testTimeout: 90_000,
    // The default of one second is too short for responses of a server on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
  },
});
