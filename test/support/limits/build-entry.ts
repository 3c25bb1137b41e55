import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getModule } from '../transpiled.ts';

const entry = `
import server, { Machine as UnlimitedMachine, OperatorDoor } from './machine.js';
globalThis.fetch = limitFetch(globalThis.fetch);
export class Machine extends UnlimitedMachine {
  constructor(context, env) {
    super(context, env, limitModule);
  }
}
export { OperatorDoor };
export default server;
`;

/** Writes the module that runs the machine within the limits of Cloudflare, and returns its file. */
export async function buildLimitedEntry(outDir: string): Promise<string> {
  const file = path.join(outDir, 'limited-machine.js');
  const { contents } = await getModule('test/support/limits/limits.ts');
  await writeFile(file, contents + entry);
  return file;
}
