import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { ticksPerSecond, usageOf } from './processes.ts';

/** Seconds that all processors have worked for anybody, also those that the machine's host took from it. */
async function workedSeconds(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = (
    text.split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts + stolen) / (await ticksPerSecond());
}

/** Tells, when it is called, what share of the processors went to others than this process and those below it since. */
export async function watchOthers(): Promise<() => Promise<number>> {
  const began = performance.now();
  const [worked, own] = [await workedSeconds(), await usageOf(process.pid)];
  return async () => {
    const spent = (await workedSeconds()) - worked - ((await usageOf(process.pid)).cpuSeconds - own.cpuSeconds);
    return Math.max(0, spent / (((performance.now() - began) / 1000) * cpus().length));
  };
}
