import { readFileSync } from 'node:fs';

export interface Usage {
  cpuMilliseconds: number;
  residentBytes: number;
}

/** As every system that has /proc counts, whatever its clock. */
const millisecondsOfTick = 10;
/** Of what follows the name of the program in /proc/…/stat. */
const [userTicks, systemTicks] = [11, 12];

/** As the system says it: how large its pages are differs. */
const readResidentKilobytes = (pid: number): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);

/** What a process has used so far; undefined where the system does not tell. */
export function readUsage(pid: number): Usage | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (at: number) => Number(fields[at]);
    return {
      cpuMilliseconds: (field(userTicks) + field(systemTicks)) * millisecondsOfTick,
      residentBytes: readResidentKilobytes(pid) * 1024,
    };
  } catch {
    return undefined;
  }
}
