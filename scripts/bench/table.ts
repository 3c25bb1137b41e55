import { columns, shown } from './columns.ts';
import { operationNames, operations } from './operations.ts';
import type { Cell, Result, Row, SizeResult, Verdict } from './result.ts';

const head = ['', 'conn', 'req/s', 'best', 'share', 'p50 ms', 'p99 ms', 'CPU s/1,000', 'KB', 'writes'];
const headOfCosts = ['trips', 'rows read', 'written', 'syncs'];

/** Where others take more of the processors, the numbers are theirs too. */
const QUIET_SHARE = 0.1;

const toldOthers = (share: number): string =>
  `others took ${(share * 100).toFixed(0)} % of the processors${share > QUIET_SHARE ? ': this was no quiet machine' : ''}`;

function lineOf({ connections, failures, ...cell }: Cell): string[] {
  const failed = Object.entries(failures).map(([reason, times]) => `${times} x ${reason.slice(0, 60)}`);
  return [
    String(connections),
    failed.length > 0 ? 'FAILED' : shown(cell.median),
    shown(cell.best),
    cell.share.toFixed(3),
    shown(cell.p50),
    shown(cell.p99),
    shown(cell.cpuSeconds),
    shown(cell.writtenBytes === null ? null : cell.writtenBytes / 1000),
    shown(cell.writes),
    ...(failed.length > 0 ? [failed.join('; ')] : []),
  ];
}

function linesOf({ subject, operation, cells, cost, syncs }: Row): string[][] {
  const { title } = operations[operation];
  const named = subject === 'floor' ? 'a bare worker, constant' : subject === 'octavo' ? title : `${subject}: ${title}`;
  const costs = [cost?.trips, cost?.rowsRead, cost?.rowsWritten, syncs].map(shown);
  return cells.map((cell, nth) => {
    const line = [nth === 0 ? named : '', ...lineOf(cell)];
    const isFailed = Object.keys(cell.failures).length > 0;
    return nth === 0 && !isFailed ? [...line, ...costs] : line;
  });
}

const verdictLine = ({ what, measured, target, isMet }: Verdict): string[] => [
  what,
  shown(measured),
  shown(target),
  isMet ? 'met' : 'not met',
];

/** The floor first, then operation by operation, so that the programs stand below each other. */
const orderOf = ({ subject, operation }: Row): number => (subject === 'floor' ? -1 : operationNames.indexOf(operation));

/** One size of a result, for a terminal. */
export function tableOf({ rows, verdicts, ...measured }: SizeResult, { date, machine, versions }: Result): string {
  const { memory, starts, others } = measured;
  const inOrder = rows.toSorted((a, b) => orderOf(a) - orderOf(b));
  const told = [
    `${measured.documents} documents of 4 KB, ${date}, Octavo ${versions.octavo} (${versions.shape}), ${versions.workerd}, Node.js ${versions.node}`,
    `${machine.processors} x ${machine.processor}, load ${machine.load.toFixed(1)} at the start; load made by ${versions.generator}`,
    `seeded in ${shown(measured.seedSeconds)} s; starts to the first answer: ${starts.map(shown).join(', ')} s`,
    ...(others === null ? [] : [toldOthers(others)]),
    ...(memory
      ? [
          `memory: ${shown(memory.idle)} MB idle, ${shown(memory.peak)} at most (${memory.peakIn}), ${shown(memory.after)} after`,
        ]
      : []),
  ];
  const table = columns([[...head, ...headOfCosts], ...inOrder.flatMap(linesOf)]);
  const targets = columns([['', 'measured', 'target', ''], ...verdicts.map(verdictLine)]);
  return `${told.join('\n')}\n\n${table}\n\n${targets}\n`;
}
