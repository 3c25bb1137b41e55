import { operationNames, operations } from './operations.ts';
import { type Cell, getMedian, type Result, type Row, type SizeResult, type Verdict } from './result.ts';

/** Aligns rows of text in columns: the first to the left, the others to the right. */
export function formatColumns(rows: string[][]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  const alignCell = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(alignCell).join('  ').trimEnd()).join('\n');
}

const formatRounded = (value: number): string => {
  if (value === 0) return '0';
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toPrecision(2);
};

/** Formats a number with a precision that depends on its size. Returns an empty text if the number is missing. */
const formatNumber = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : formatRounded(value);

const head = ['', 'conn', 'req/s', 'best', 'share', 'p50 ms', 'p99 ms', 'CPU s/1,000', 'KB', 'writes'];
const costHead = ['trips', 'rows read', 'written', 'syncs'];

/** Maximum share of the processors that other processes may use. Above this share, the results are not reliable. */
const QUIET_SHARE = 0.1;

const describeOtherLoad = (share: number): string =>
  `other processes took ${(share * 100).toFixed(0)} % of the ` +
  `CPU${share > QUIET_SHARE ? ' (the machine was not idle)' : ''}`;

function getLine({ connections, failures, ...cell }: Cell): string[] {
  const failed = Object.entries(failures).map(([reason, times]) => `${times} x ${reason.slice(0, 60)}`);
  return [
    String(connections),
    failed.length > 0 ? 'FAILED' : formatNumber(cell.median),
    formatNumber(cell.best),
    cell.share.toFixed(3),
    formatNumber(cell.p50),
    formatNumber(cell.p99),
    formatNumber(cell.cpuSeconds),
    formatNumber(cell.writtenBytes === null ? null : cell.writtenBytes / 1000),
    formatNumber(cell.writes),
    ...(failed.length > 0 ? [failed.join('; ')] : []),
  ];
}

function getLines({ subject, operation, cells, cost, syncs }: Row): string[][] {
  const { title } = operations[operation];
  const label = subject === 'floor' ? 'a bare worker, constant' : subject === 'octavo' ? title : `${subject}: ${title}`;
  const costs = [cost?.trips, cost?.rowsRead, cost?.rowsWritten, syncs].map(formatNumber);
  return cells.map((cell, column) => {
    const line = [column === 0 ? label : '', ...getLine(cell)];
    const isFailed = Object.keys(cell.failures).length > 0;
    return column === 0 && !isFailed ? [...line, ...costs] : line;
  });
}

const formatVerdict = ({ what, measured, target, isMet }: Verdict): string[] => [
  what,
  formatNumber(measured),
  formatNumber(target),
  isMet ? 'met' : 'not met',
];

/** Returns a sort key: the baseline is first, and then rows of one operation are next to each other. */
const getOrder = ({ subject, operation }: Row): number =>
  subject === 'floor' ? -1 : operationNames.indexOf(operation);

/** Formats the result of one size for a terminal. */
export function formatTable({ rows, verdicts, ...result }: SizeResult, { date, machine, versions }: Result): string {
  const { memory, starts, others } = result;
  const inOrder = rows.toSorted((a, b) => getOrder(a) - getOrder(b));
  const lines = [
    `${result.documents} documents of 4 KB, ${date}, Octavo ${versions.octavo} (${versions.shape}), ${versions.workerd}, Node.js ${versions.node}`,
    `${machine.processors} x ${machine.processor}, load ${machine.load.toFixed(1)} at the start; load made by ${versions.generator}`,
    `seeded in ${formatNumber(result.seedSeconds)} s; starts to the first answer: ${starts.map(formatNumber).join(', ')} s`,
    ...(others === null ? [] : [describeOtherLoad(others)]),
    ...(memory
      ? [
          `memory: ${formatNumber(memory.idle)} MB idle, ${formatNumber(memory.peak)} at most (${memory.peakIn}), ${formatNumber(memory.after)} after`,
        ]
      : []),
  ];
  const table = formatColumns([[...head, ...costHead], ...inOrder.flatMap(getLines)]);
  const targets = formatColumns([['', 'measured', 'target', ''], ...verdicts.map(formatVerdict)]);
  return `${lines.join('\n')}\n\n${table}\n\n${targets}\n`;
}

const formatRatio = (before: number | null | undefined, after: number | null | undefined): string =>
  before && after ? `x ${(after / before).toFixed(2)}` : '';

function compareCells(name: string, before: Cell, after: Cell): string[] {
  return [
    name,
    String(before.connections),
    formatNumber(before.median),
    formatNumber(after.median),
    formatRatio(before.median, after.median),
    before.share.toFixed(3),
    after.share.toFixed(3),
    formatRatio(before.share, after.share),
    formatNumber(before.cpuSeconds),
    formatNumber(after.cpuSeconds),
    formatRatio(before.cpuSeconds, after.cpuSeconds),
  ];
}

const isSameRow = (a: Row, b: Row): boolean => a.subject === b.subject && a.operation === b.operation;

function compareRows(before: SizeResult, after: SizeResult): string[][] {
  return before.rows.flatMap((row) => {
    const other = after.rows.find((each) => isSameRow(each, row));
    const name = `${row.subject === 'octavo' ? '' : `${row.subject}: `}${operations[row.operation].title}`;
    return row.cells.flatMap((cell) => {
      const same = other?.cells.find(({ connections }) => connections === cell.connections);
      return same ? [compareCells(name, cell, same)] : [];
    });
  });
}

function compareCosts(before: SizeResult, after: SizeResult): string[][] {
  return before.rows.flatMap((row) => {
    const other = after.rows.find((each) => isSameRow(each, row));
    if (!row.cost || !other?.cost) return [];
    const { trips, rowsRead, rowsWritten } = row.cost;
    const pairs = [
      [trips, other.cost.trips],
      [rowsRead, other.cost.rowsRead],
      [rowsWritten, other.cost.rowsWritten],
    ];
    return [[operations[row.operation].title, ...pairs.flatMap((pair) => pair.map(formatNumber))]];
  });
}

const toPercent = (share: number | null): number | null => (share === null ? null : share * 100);

function compareOtherSizes(before: SizeResult, after: SizeResult): string[][] {
  const pairs: [string, number | null | undefined, number | null | undefined][] = [
    ['memory, idle, MB', before.memory?.idle, after.memory?.idle],
    ['memory, at most, MB', before.memory?.peak, after.memory?.peak],
    ['memory, after all, MB', before.memory?.after, after.memory?.after],
    ['start to the first answer, s', getMedian(before.starts), getMedian(after.starts)],
    ['processors taken by others, %', toPercent(before.others), toPercent(after.others)],
    ['seeding, s', before.seedSeconds, after.seedSeconds],
  ];
  return pairs.map(([name, first, second]) => [
    name,
    formatNumber(first),
    formatNumber(second),
    formatRatio(first, second),
  ]);
}

const comparedHead = ['', 'conn', 'req/s', 'now', '', 'share', 'now', '', 'CPU s/1,000', 'now', ''];
const comparedCostHead = ['', 'trips', 'now', 'rows read', 'now', 'rows written', 'now'];

function compareSizes(before: SizeResult, after: SizeResult): string {
  const parts = [
    formatColumns([comparedHead, ...compareRows(before, after)]),
    formatColumns([comparedCostHead, ...compareCosts(before, after)]),
    formatColumns([['', 'before', 'now', ''], ...compareOtherSizes(before, after)]),
  ];
  return `${before.documents} documents\n\n${parts.join('\n\n')}\n`;
}

/** Compares two results. Only operations that both results contain are compared. */
export function compareResults(before: Result, after: Result): string {
  const tables = [before, after].map(
    ({ date, versions }) => `${date}, Octavo ${versions.octavo} (${versions.shape}), load by ${versions.generator}`,
  );
  const sizes = before.sizes.flatMap((size) => {
    const other = after.sizes.find((each) => each.size === size.size);
    return other ? [compareSizes(size, other)] : [];
  });
  return `before: ${tables[0]}\nnow:    ${tables[1]}\n\n${sizes.join('\n')}`;
}
