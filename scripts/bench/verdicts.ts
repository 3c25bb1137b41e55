import { operationNames, operations, type Target } from './operations.ts';
import type { Cell, Memory, Row, Verdict } from './result.ts';

/**
 * Targets apply to this number of connections. If it is not measured, they apply to the next lower number that is
 * measured, or else to the lowest.
 */
const CONNECTIONS = 8;
const memoryTargets = { idle: 250, after: 450 };
const START_SECONDS = 1;

const getCellToJudge = (cells: Cell[]): Cell | undefined => {
  const sorted = cells.toSorted((a, b) => a.connections - b.connections);
  return sorted.findLast(({ connections }) => connections <= CONNECTIONS) ?? sorted[0];
};

const judgeMinimum = (criterion: string, value: number, target: number): Verdict => ({
  what: criterion,
  measured: value,
  target,
  isMet: value >= target,
});

const judgeMaximum = (criterion: string, value: number, target: number): Verdict => ({
  what: criterion,
  measured: value,
  target,
  isMet: value <= target,
});

function judgeRow({ operation, cells }: Row): Verdict[] {
  const cell = getCellToJudge(cells);
  if (cell === undefined) return [];
  const { title, target }: { title: string; target: Target } = operations[operation];
  const isClean = Object.keys(cell.failures).length === 0;
  const share = judgeMinimum(`${title}: share of the bare worker`, cell.share, target.share);
  const cpu =
    target.cpu === undefined || cell.cpuSeconds === null
      ? []
      : [judgeMaximum(`${title}: CPU seconds for 1,000`, cell.cpuSeconds, target.cpu)];
  return [share, ...cpu].map((criterionVerdict) => ({ ...criterionVerdict, isMet: criterionVerdict.isMet && isClean }));
}

/** Returns whether the targets are met at this size. */
export function judge(measurement: { rows: Row[]; memory: Memory | null; start: number }): Verdict[] {
  const { rows, memory, start } = measurement;
  const octavo = rows.filter(({ subject }) => subject === 'octavo');
  const inOrder = operationNames.flatMap((name) => octavo.filter(({ operation }) => operation === name));
  const ofMemory = memory
    ? [
        judgeMaximum('memory, idle, MB', memory.idle, memoryTargets.idle),
        judgeMaximum('memory, after all of this, MB', memory.after, memoryTargets.after),
      ]
    : [];
  return [
    ...inOrder.flatMap(judgeRow),
    ...ofMemory,
    judgeMaximum('start to the first answer, seconds', start, START_SECONDS),
  ];
}
