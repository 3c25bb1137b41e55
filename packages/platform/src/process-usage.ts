import { readFileSync } from 'node:fs';

export interface Usage {
  cpuMilliseconds: number;
  residentBytes: number;
}

/** The unit of processor time in /proc, which does not depend on the system's clock. */
const millisecondsOfTick = 10;
/** Indices of the fields after the program's name in /proc/…/stat. */
const [userTicks, systemTicks] = [11, 12];

/**
 * Returns the resident memory. It is read in kilobytes and not in pages, because the page size depends on the system.
 */
const readResidentKilobytes = (pid: number): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);

/** Returns the resources that a process has used, or undefined if the system does not report them. */
export function readUsage(pid: number): Usage | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const getField = (index: number) => Number(fields[index]);
    return {
      cpuMilliseconds: (getField(userTicks) + getField(systemTicks)) * millisecondsOfTick,
      residentBytes: readResidentKilobytes(pid) * 1024,
    };
  } catch {
    return undefined;
  }
}
