import { expect, test } from 'vitest';
import { readDirectorySettings } from './directory-settings.ts';

const env = {
  OCTAVO_PUBLIC_URL: 'https://octavo.test',
  OCTAVO_DIRECTORY_KEY: 'a-key-of-the-directory',
  OCTAVO_CELLS: 'eu=10.0.0.1:8787  us=cell.internal:8788',
};

test('the cells are read in their order, and the table is in a folder of its own', () => {
  const { cells, dataDir, vars } = readDirectorySettings(env);

  expect([...cells]).toEqual([
    ['eu', '10.0.0.1:8787'],
    ['us', 'cell.internal:8788'],
  ]);
  expect(dataDir).toMatch(/\.octavo-directory$/);
  expect(vars).toEqual({ OCTAVO_PUBLIC_URL: 'https://octavo.test', OCTAVO_DIRECTORY_KEY: 'a-key-of-the-directory' });
});

test.each([
  [{ OCTAVO_PUBLIC_URL: '' }, 'Set OCTAVO_PUBLIC_URL to the same value as in all cells.'],
  [{ OCTAVO_DIRECTORY_KEY: '' }, 'Set OCTAVO_DIRECTORY_KEY to the same value as in all cells.'],
  [{ OCTAVO_DIRECTORY_KEY: 'short' }, 'OCTAVO_DIRECTORY_KEY must have 16 to 256 characters, without spaces.'],
  [{ OCTAVO_CELLS: '' }, 'OCTAVO_CELLS must give each installation a name and an address'],
  [{ OCTAVO_CELLS: 'eu=10.0.0.1:8787 eu=10.0.0.2:8787' }, 'OCTAVO_CELLS must give each installation'],
  [{ OCTAVO_CELLS: 'EU=https://10.0.0.1' }, 'OCTAVO_CELLS must give each installation'],
])('settings with %j are refused', (changed, message) => {
  expect(() => readDirectorySettings({ ...env, ...changed })).toThrow(message);
});
