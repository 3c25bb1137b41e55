import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const isOfAll = process.env.OCTAVO_TEST === 'all';
const isOfWorkers = process.env.OCTAVO_SHAPE === 'workers';
const isSecondOfAll = process.env.OCTAVO_TEST_SECOND === '1';

// Tests whose result does not depend on how the workers run: pure packages, commands, rules on sources, and tests that
// start their own runtime. They only run on the machine.
const notOfWorkers = [
  'packages/**',
  'workers/**',
  'scripts/**',
  'test/bench/**',
  'test/cli/**',
  'test/clients/**',
  'test/docs/**',
  'test/platform/{database-parity,log}.test.ts',
  'test/platform/machine/**',
  'test/publishing/typeset*.test.ts',
  'test/rules/{architecture,asynchronous,batches,contract,documented-operations,events,ids,language}.test.ts',
  'test/rules/{layout,local-runtime,names,openapi,openapi-documentation,packages,random,rate-limits}.test.ts',
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
  'test/rules/{access,location}.test.ts',
];

/** Starts long files first, so that no process ends long after the others. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith('.long.test.ts');
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
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
      ...(isOfAll ? [] : ['**/*.long.test.ts']),
      ...(isOfWorkers ? notOfWorkers : []),
      ...(isSecondOfAll ? leftToWorkersAlone : []),
    ],
    globalSetup: ['test/support/global-setup.ts'],
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
