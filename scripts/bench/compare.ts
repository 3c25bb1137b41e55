import { columns, shown } from './columns.ts';
import { median } from './load/percentile.ts';
import { operations } from './operations.ts';
import type { Cell, Result, Row, SizeResult } from './result.ts';

const ratio = (before: number | null | undefined, after: number | null | undefined): string =>
  before && after ? `x ${(after / before).toFixed(2)}` : '';

function compareCells(name: string, before: Cell, after: Cell): string[] {
  return [
    name,
    String(before.connections),
    shown(before.median),
    shown(after.median),
    ratio(before.median, after.median),
    before.share.toFixed(3),
    after.share.toFixed(3),
    ratio(before.share, after.share),
    shown(before.cpuSeconds),
    shown(after.cpuSeconds),
    ratio(before.cpuSeconds, after.cpuSeconds),
  ];
}

const isSame = (a: Row, b: Row): boolean => a.subject === b.subject && a.operation === b.operation;

function compareRows(before: SizeResult, after: SizeResult): string[][] {
  return before.rows.flatMap((row) => {
    const other = after.rows.find((each) => isSame(each, row));
    const name = `${row.subject === 'octavo' ? '' : `${row.subject}: `}${operations[row.operation].title}`;
    return row.cells.flatMap((cell) => {
      const same = other?.cells.find(({ connections }) => connections === cell.connections);
      return same ? [compareCells(name, cell, same)] : [];
    });
  });
}

function compareCosts(before: SizeResult, after: SizeResult): string[][] {
  return before.rows.flatMap((row) => {
    const other = after.rows.find((each) => isSame(each, row));
    if (!row.cost || !other?.cost) return [];
    const { trips, rowsRead, rowsWritten } = row.cost;
    const pairs = [
      [trips, other.cost.trips],
      [rowsRead, other.cost.rowsRead],
      [rowsWritten, other.cost.rowsWritten],
    ];
    return [[operations[row.operation].title, ...pairs.flatMap((pair) => pair.map(shown))]];
  });
}

const percent = (share: number | null): number | null => (share === null ? null : share * 100);

function compareOthers(before: SizeResult, after: SizeResult): string[][] {
  const pairs: [string, number | null | undefined, number | null | undefined][] = [
    ['memory, idle, MB', before.memory?.idle, after.memory?.idle],
    ['memory, at most, MB', before.memory?.peak, after.memory?.peak],
    ['memory, after all, MB', before.memory?.after, after.memory?.after],
    ['start to the first answer, s', median(before.starts), median(after.starts)],
    ['processors taken by others, %', percent(before.others), percent(after.others)],
    ['seeding, s', before.seedSeconds, after.seedSeconds],
  ];
  return pairs.map(([name, first, second]) => [name, shown(first), shown(second), ratio(first, second)]);
}

const head = ['', 'conn', 'req/s', 'now', '', 'share', 'now', '', 'CPU s/1,000', 'now', ''];
const headOfCosts = ['', 'trips', 'now', 'rows read', 'now', 'rows written', 'now'];

function compareSizes(before: SizeResult, after: SizeResult): string {
  const parts = [
    columns([head, ...compareRows(before, after)]),
    columns([headOfCosts, ...compareCosts(before, after)]),
    columns([['', 'before', 'now', ''], ...compareOthers(before, after)]),
  ];
  return `${before.documents} documents\n\n${parts.join('\n\n')}\n`;
}

/** Two results side by side: what both have measured. */
export function compareResults(before: Result, after: Result): string {
  const told = [before, after].map(
    ({ date, versions }) => `${date}, Octavo ${versions.octavo} (${versions.shape}), load by ${versions.generator}`,
  );
  const sizes = before.sizes.flatMap((size) => {
    const other = after.sizes.find((each) => each.size === size.size);
    return other ? [compareSizes(size, other)] : [];
  });
  return `before: ${told[0]}\nnow:    ${told[1]}\n\n${sizes.join('\n')}`;
}
