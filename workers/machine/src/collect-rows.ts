/** Collects the rows of a cursor with the names of its columns, until `check` throws. */
export type Shape<Row> = (cursor: SqlStorageCursor<never>, columns: string[], check: () => void) => Row[];

type Cell = SqlStorageValue | number[];
export type ObjectRow = Record<string, Cell>;

/** Converts a value as D1's JSON does: bytes become numbers, and infinity does not exist. */
function toCell(value: SqlStorageValue): Cell {
  if (typeof value === 'object') return value === null ? null : Array.from(new Uint8Array(value));
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? null : value;
}

/** After this time, in milliseconds, a read of many rows yields to the event loop. */
const sliceMilliseconds = 2;
/** Number of rows after which the time is measured. */
const rowsPerMeasurement = 64;

/**
 * Collects the rows of a cursor as objects, because the runtime's own row objects take twice as long. Yields after each
 * slice of `sliceMilliseconds`.
 */
export function* collectObjects(
  cursor: SqlStorageCursor<never>,
  columns: string[],
  check: () => void,
): Generator<undefined, ObjectRow[]> {
  const results: ObjectRow[] = [];
  let start = performance.now();
  for (const values of cursor.raw()) {
    check();
    const row: ObjectRow = {};
    for (let index = 0; index < columns.length; index += 1)
      row[columns[index] as string] = toCell(values[index] as SqlStorageValue);
    results.push(row);
    if (results.length % rowsPerMeasurement === 0 && performance.now() - start > sliceMilliseconds) {
      yield undefined;
      start = performance.now();
    }
  }
  return results;
}

export const toObjects: Shape<ObjectRow> = (...rows) => getResult(collectObjects(...rows));

/** Runs all steps at once. */
export function getResult<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export const toLists: Shape<Cell[]> = (cursor, _columns, check) => {
  const results: Cell[][] = [];
  for (const values of cursor.raw()) {
    check();
    results.push(Array.from(values, toCell));
  }
  return results;
};

/** The first list contains the names of the columns. */
export const toListsWithColumnNames: Shape<Cell[] | string[]> = (cursor, columns, check) => [
  [...columns],
  ...toLists(cursor, columns, check),
];
