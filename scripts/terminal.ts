import { PlatformError } from '@octavo/platform';

/** Prints an error and ends the process. For an expected error (`PlatformError`), prints only the message. */
export function exitWithError(error: unknown): never {
  console.error(error instanceof PlatformError ? error.message : error);
  process.exit(1);
}

/** Runs a startup step, and prints its duration and result on one line. */
export async function reportStep<Value>(name: string, work: () => Promise<[Value, string]>): Promise<Value> {
  const started = performance.now();
  if (process.stdout.isTTY) process.stdout.write(`  ${name.padEnd(10)}...`);
  const [value, result] = await work();
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5);
  console.log(`${process.stdout.isTTY ? '\r' : ''}  ${name.padEnd(10)}${seconds} s  ${result}`);
  return value;
}
