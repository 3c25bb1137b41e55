import { expect, test } from 'vitest';
import type { Cell, Row } from './result.ts';
import { judge } from './verdicts.ts';

const createCell = (connections: number, share: number, failures: Record<string, number> = {}): Cell => ({
  connections,
  median: share * 10_000,
  best: share * 10_000,
  rounds: [],
  p50: 1,
  p99: 2,
  share,
  cpuSeconds: 0.3,
  writtenBytes: null,
  writes: null,
  failures,
});

const createRow = (subject: string, ...cells: Cell[]): Row => ({
  subject,
  operation: 'read',
  cells,
  cost: null,
  syncs: null,
});

const judgeRows = (...rows: Row[]) =>
  judge({ rows, memory: { idle: 200, peak: 900, peakIn: 'read', after: 460 }, start: 0.9 }).map(
    ({ measured, isMet }) => [measured, isMet],
  );

test('applies targets at 8 connections, and only to Octavo', () => {
  const measured = createRow('octavo', createCell(1, 0.05), createCell(8, 0.12), createCell(32, 0.02));

  expect(judgeRows(createRow('directus', createCell(8, 0.01)), measured)).toEqual([
    [0.12, true],
    [0.3, true],
    [200, true],
    [460, false],
    [0.9, true],
  ]);
});

test('judges the next lower number of connections if 8 was not measured; a run with failures misses the target', () => {
  expect(judgeRows(createRow('octavo', createCell(2, 0.2), createCell(4, 0.09), createCell(16, 0.3)))[0]).toEqual([
    0.09,
    false,
  ]);
  expect(judgeRows(createRow('octavo', createCell(16, 0.3)))[0]).toEqual([0.3, true]);
  expect(judgeRows(createRow('octavo', createCell(8, 0.3, { '500': 1 }))).slice(0, 2)).toEqual([
    [0.3, false],
    [0.3, false],
  ]);
});
