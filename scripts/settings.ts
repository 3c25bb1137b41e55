import path from 'node:path';
import { PlatformError } from '@octavo/platform';

export const root = path.dirname(import.meta.dirname);
export const outDir = path.join(root, 'build');

export interface Settings {
  port: number;
  dataDir: string;
  /** Variables of every worker. */
  vars: Record<string, string>;
}

/** What the environment says: PORT (8787), OCTAVO_DATA (.octavo in the workspace), and OCTAVO_COUNT_ROWS of the tests. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const port = env.PORT || '8787';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535)
    throw new PlatformError(`PORT is "${port}", which is not a port number (0 to 65535).`);
  const dataDir = path.resolve(env.OCTAVO_DATA || path.join(root, '.octavo'));
  return { port: Number(port), dataDir, vars: env.OCTAVO_COUNT_ROWS === '1' ? { OCTAVO_COUNT_ROWS: '1' } : {} };
}
