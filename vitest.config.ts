import { configDefaults, defineConfig } from 'vitest/config';

const isOfAll = process.env.OCTAVO_TEST === 'all';

export default defineConfig({
  test: {
    include: [
      'packages/**/src/**/*.test.ts',
      'workers/**/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: [...configDefaults.exclude, ...(isOfAll ? [] : ['**/*.long.test.ts'])],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // State lives in the platform, not in modules, so files may share them: loading them anew for each costs a minute.
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
