/** Steps that run in order on each database. The result or error of each step is compared. */
export type Steps = (db: D1Database) => (() => Promise<unknown>)[];

/** Metadata that depends on the machine instead of the statement. */
const ofTheMachine = ['duration', 'served_by', 'size_after', 'timings'];
const rows = ['rows_read', 'rows_written'];

/** Converts a value to JSON without losing its type. Ignored fields are removed. */
function removeIgnored(value: unknown, ignored: string[]): unknown {
  if (value === undefined) return { is: 'undefined' };
  if (typeof value === 'number' && !Number.isFinite(value)) return { is: String(value) };
  if (Object.is(value, -0)) return { is: '-0' };
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Error)
    return { is: 'error', name: value.name, message: value.message, cause: removeIgnored(value.cause, ignored) };
  if (Array.isArray(value)) return value.map((each) => removeIgnored(each, ignored));
  if (Object.getPrototypeOf(value) !== Object.prototype) return { is: value.constructor.name };
  const entries = Object.entries(value).filter(([name]) => !ignored.includes(name));
  return { keys: entries.map(([name]) => name), values: entries.map(([, each]) => removeIgnored(each, ignored)) };
}

/** Runs the steps in order and returns the result or error of each. */
export async function runSteps(db: D1Database, steps: Steps, countsRows: boolean): Promise<unknown[]> {
  const ignored = countsRows ? ofTheMachine : [...ofTheMachine, ...rows];
  const results: unknown[] = [];
  for (const step of steps(db)) results.push(removeIgnored(await step().catch((error: unknown) => error), ignored));
  return results;
}
