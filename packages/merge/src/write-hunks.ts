/** Lines that may differ: for each old one its partner among the next ones, or -1. */
export interface Compared {
  old: string[];
  next: string[];
  matches: Int32Array;
}

interface Around {
  contextLines: number;
  /** How many lines come before the first of `old`. */
  firstLine: number;
  maxLength: number;
}

/** In the order of the diff: what a line is, and its index among the next lines where it is added, else the old ones. */
interface Steps {
  signs: Uint8Array;
  lines: Int32Array;
}

const same = 0;
const removed = 1;
const added = 2;
const written = [' ', '-', '+'];

/** The hunks of a unified diff; undefined where they would be longer than `maxLength`. */
export function writeHunks(compared: Compared, around: Around): string | undefined {
  const { contextLines, maxLength } = around;
  const { signs, lines } = stepsOf(compared);
  const changed = signs.reduce((sum, sign) => sum + (sign === same ? 0 : 1), 0);
  if (2 * changed > maxLength) return undefined;
  let [oldLine, nextLine] = [around.firstLine, around.firstLine];
  let [diff, at] = ['', 0];
  const pass = () => {
    if (signs[at] !== added) oldLine += 1;
    if (signs[at] !== removed) nextLine += 1;
    at += 1;
  };
  for (const [start, end] of hunksOf(signs, contextLines)) {
    while (at < start) pass();
    const [oldStart, nextStart] = [oldLine, nextLine];
    let body = '';
    while (at < end) {
      const sign = signs[at] ?? same;
      const line = (sign === added ? compared.next : compared.old)[lines[at] ?? -1] ?? '';
      body += `${written[sign]}${line}${line.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`;
      if (diff.length + body.length > maxLength) return undefined;
      pass();
    }
    diff += `@@ -${range(oldStart, oldLine)} +${range(nextStart, nextLine)} @@\n${body}`;
  }
  return diff.length > maxLength ? undefined : diff;
}

/** A range without lines is told by the line before it. */
const range = (start: number, end: number): string => `${end > start ? start + 1 : start},${end - start}`;

function stepsOf({ old, next, matches }: Compared): Steps {
  const signs = new Uint8Array(old.length + next.length);
  const lines = new Int32Array(old.length + next.length);
  let [count, oldAt, nextAt] = [0, 0, 0];
  const add = (sign: number, line: number) => {
    signs[count] = sign;
    lines[count] = line;
    count += 1;
  };
  while (oldAt < old.length || nextAt < next.length) {
    const match = matches[oldAt] ?? next.length;
    if (match < 0) add(removed, oldAt++);
    else if (nextAt < match) add(added, nextAt++);
    else {
      add(same, oldAt++);
      nextAt += 1;
    }
  }
  return { signs: signs.subarray(0, count), lines: lines.subarray(0, count) };
}

/** From where to where each hunk goes: changes with little between them share one. */
function* hunksOf(signs: Uint8Array, contextLines: number): Generator<[number, number]> {
  let hunk: [number, number] | undefined;
  for (let index = 0; index < signs.length; index += 1) {
    if (signs[index] === same) continue;
    const start = Math.max(0, index - contextLines);
    const end = Math.min(signs.length, index + 1 + contextLines);
    if (hunk !== undefined && start <= hunk[1]) hunk[1] = end;
    else {
      if (hunk !== undefined) yield hunk;
      hunk = [start, end];
    }
  }
  if (hunk !== undefined) yield hunk;
}
