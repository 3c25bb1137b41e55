import { PlatformError } from '@octavo/platform';

/** Ends with a sentence for what was to be expected, and with the whole error for what was not. */
export function explain(error: unknown): never {
  console.error(error instanceof PlatformError ? error.message : error);
  process.exit(1);
}

/** Does a step of the start, and tells on one line how long it took and what came of it. */
export async function step<Value>(name: string, work: () => Promise<[Value, string]>): Promise<Value> {
  const started = performance.now();
  if (process.stdout.isTTY) process.stdout.write(`  ${name.padEnd(10)}...`);
  const [value, told] = await work();
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5);
  console.log(`${process.stdout.isTTY ? '\r' : ''}  ${name.padEnd(10)}${seconds} s  ${told}`);
  return value;
}
