const MAX_EDITS = 2_000;
const MAX_STEPS = 20_000_000;

/**
 * For each line of `before` its partner in `after`, or -1: a longest common subsequence (Myers, "An O(ND) Difference
 * Algorithm", 1986). Undefined when the search would pass its bounds of edits, steps and memory.
 */
export function matchLines(before: Int32Array, after: Int32Array): Int32Array | undefined {
  const matches = new Int32Array(before.length).fill(-1);
  const prefix = equalStart(before, after);
  const suffix = equalEnd(before, after, prefix);
  for (let i = 0; i < prefix; i += 1) matches[i] = i;
  for (let i = 1; i <= suffix; i += 1) matches[before.length - i] = after.length - i;

  const a = sharedIndices(before, after, prefix, suffix);
  const b = sharedIndices(after, before, prefix, suffix);
  const trace = searchEdits(pick(before, a), pick(after, b));
  if (!trace) return undefined;
  for (const [x, y] of diagonals(trace, a.length, b.length)) matches[at(a, x)] = at(b, y);
  return matches;
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? -1;
}

function equalStart(a: Int32Array, b: Int32Array): number {
  const limit = Math.min(a.length, b.length);
  let count = 0;
  while (count < limit && a[count] === b[count]) count += 1;
  return count;
}

function equalEnd(a: Int32Array, b: Int32Array, prefix: number): number {
  const limit = Math.min(a.length, b.length) - prefix;
  let count = 0;
  while (count < limit && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}

/** Indices of the lines between the equal ends that the other text has too: no other line can be matched. */
function sharedIndices(lines: Int32Array, others: Int32Array, prefix: number, suffix: number): Int32Array {
  const present = new Set(others.subarray(prefix, others.length - suffix));
  const indices: number[] = [];
  for (let i = prefix; i < lines.length - suffix; i += 1) if (present.has(at(lines, i))) indices.push(i);
  return Int32Array.from(indices);
}

function pick(lines: Int32Array, indices: Int32Array): Int32Array {
  return indices.map((index) => at(lines, index));
}

/** Row d holds the furthest x reached with d edits on the diagonals -d, -d+2 ... d. */
function searchEdits(a: Int32Array, b: Int32Array): Int32Array[] | undefined {
  const trace: Int32Array[] = [];
  let steps = 0;
  for (let d = 0; d <= Math.min(a.length + b.length, MAX_EDITS); d += 1) {
    const row = new Int32Array(d + 1);
    trace.push(row);
    for (let k = -d; k <= d; k += 2) {
      let x = startOf(trace[d - 1], d, k);
      const start = x;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      row[(k + d) / 2] = x;
      if (x >= a.length && x - k >= b.length) return trace;
      steps += x - start + 1;
    }
    if (steps > MAX_STEPS) return undefined;
  }
  return undefined;
}

function startOf(previous: Int32Array | undefined, d: number, k: number): number {
  if (!previous) return 0;
  const index = (k + d) / 2;
  return comesFromAbove(previous, d, k) ? at(previous, index) : at(previous, index - 1) + 1;
}

function comesFromAbove(previous: Int32Array, d: number, k: number): boolean {
  const index = (k + d) / 2;
  return k === -d || (k !== d && at(previous, index - 1) < at(previous, index));
}

function* diagonals(trace: readonly Int32Array[], endX: number, endY: number): Generator<[number, number]> {
  let x = endX;
  let y = endY;
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const k = x - y;
    const previous = trace[d - 1];
    const start = startOf(previous, d, k);
    while (x > start) yield [--x, --y];
    if (previous && comesFromAbove(previous, d, k)) y -= 1;
    else x -= 1;
  }
}
