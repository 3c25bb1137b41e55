import { expect, onTestFinished, test, vi } from 'vitest';
import { readCommand } from '../../scripts/bench/options.ts';
import { compareResults } from '../../scripts/bench/report.ts';
import type { Cell, Result, Row } from '../../scripts/bench/result.ts';

const createCell = (connections: number, median: number): Cell => ({
  connections,
  median,
  best: median,
  rounds: [median],
  p50: 1,
  p99: 2,
  share: median / 10_000,
  cpuSeconds: 1000 / median,
  writtenBytes: 0,
  writes: 1,
  failures: {},
});

const createRow = (operation: Row['operation'], rate: number): Row => ({
  subject: 'octavo',
  operation,
  cells: [createCell(1, rate / 2), createCell(8, rate)],
  cost: { trips: 2, rowsRead: rate, rowsWritten: 0 },
  syncs: null,
});

const createResult = (rows: Row[], idle: number): Result => ({
  date: '2026-11-22T12:00:00.000Z',
  machine: { processor: 'p', processors: 2, megabytes: 8000, kernel: 'k', load: 0 },
  versions: { octavo: 'abc', shape: 'machine', node: 'v24', workerd: 'w', generator: 'autocannon' },
  options: { seconds: 1, rounds: 1, connections: [1, 8], only: [] },
  sizes: [
    {
      size: 1,
      documents: 500,
      seedSeconds: 2,
      starts: [1, 3, 2],
      memory: { idle, peak: 900, peakIn: 'read', after: 800 },
      others: 0.01,
      rows,
      verdicts: [],
    },
  ],
});

test('compares the operations that both results contain', () => {
  const before = createResult([createRow('read', 500), createRow('comment', 100)], 600);
  const after = createResult([createRow('read', 1500), createRow('update', 50)], 300);
  const lines = compareResults(before, after).split('\n');

  expect(lines).toContainEqual(
    expect.stringMatching(/^read a page, markdown +8 +500 +1,500 +x 3\.00 .*0\.050 +0\.150 +x 3\.00 .*x 0\.33$/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^memory, idle, MB +600 +300 +x 0\.50$/));
  expect(lines.filter((line) => /^(comment|update)/.test(line))).toEqual([]);
});

test('reports unknown options', () => {
  expect(() => readCommand(['--size', 'big'])).toThrow('--size must be a number above 0, not "big"');
  expect(() => readCommand(['--rounds', '1.5'])).toThrow('whole number');
  expect(() => readCommand(['--only', 'reed'])).toThrow('--only does not accept "reed"');
  expect(() => readCommand(['--vs', 'other=http://a'])).toThrow('--vs does not accept "other"');
  expect(() => readCommand(['--vs', 'directus=http://a'])).toThrow('Set it in DIRECTUS_TOKEN');
  expect(() => readCommand(['--vs', 'directus=a'])).toThrow('needs an address');
  expect(() => readCommand(['--compare', 'a.json'])).toThrow('two files');
  expect(() => readCommand(['--fast'])).toThrow('--fast');
});

test('omitted options have defaults, and a prefix selects operations', () => {
  const usual = { sizes: [1, 20], seconds: 5, rounds: 3, connections: [1, 8, 32], peers: [] };

  expect(readCommand([])).toMatchObject({ does: 'measure', options: usual });
  vi.stubEnv('DIRECTUS_TOKEN', 'token');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  expect(() => readCommand(['--vs', 'directus=http://127.0.0.1:3000'])).toThrow('single --size');
  expect(
    readCommand(['--size', '1', '--only', 'search,read', '--vs', 'directus=http://127.0.0.1:3000/']),
  ).toMatchObject({
    options: {
      only: ['read', 'search-rare', 'search-common'],
      peers: [{ name: 'directus', url: 'http://127.0.0.1:3000', token: 'token' }],
    },
  });
});
