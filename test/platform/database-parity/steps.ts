/** What is done in order, on each database: the answer or the error of each step is compared. */
export type Steps = (db: D1Database) => (() => Promise<unknown>)[];

/** What tells of the machine and not of the statement. */
const ofTheMachine = ['duration', 'served_by', 'size_after', 'timings'];
const rows = ['rows_read', 'rows_written'];

/** Makes a value to what JSON carries without losing what it was, but for what is ignored. */
function told(value: unknown, ignored: string[]): unknown {
  if (value === undefined) return { is: 'undefined' };
  if (typeof value === 'number' && !Number.isFinite(value)) return { is: String(value) };
  if (Object.is(value, -0)) return { is: '-0' };
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Error)
    return { is: 'error', name: value.name, message: value.message, cause: told(value.cause, ignored) };
  if (Array.isArray(value)) return value.map((each) => told(each, ignored));
  if (Object.getPrototypeOf(value) !== Object.prototype) return { is: value.constructor.name };
  const entries = Object.entries(value).filter(([name]) => !ignored.includes(name));
  return { keys: entries.map(([name]) => name), values: entries.map(([, each]) => told(each, ignored)) };
}

/** Runs the steps, each after the one before it, and tells what each gave or threw. */
export async function runSteps(db: D1Database, steps: Steps, countsRows: boolean): Promise<unknown[]> {
  const ignored = countsRows ? ofTheMachine : [...ofTheMachine, ...rows];
  const answers: unknown[] = [];
  for (const step of steps(db)) answers.push(told(await step().catch((error: unknown) => error), ignored));
  return answers;
}
