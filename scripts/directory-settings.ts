import path from 'node:path';
import { PlatformError } from '@octavo/platform';
import { readSettings, root } from './settings.ts';

/**
 * Reads the settings of the directory from the environment: those of a server, OCTAVO_CELLS and OCTAVO_DIRECTORY_KEY.
 * The table is in OCTAVO_DATA (.octavo-directory in the workspace).
 */
export function readDirectorySettings(env: NodeJS.ProcessEnv) {
  for (const name of ['OCTAVO_PUBLIC_URL', 'OCTAVO_DIRECTORY_KEY'])
    if (!env[name]) throw new PlatformError(`Set ${name} to the same value as in all cells.`);
  const dataDir = env.OCTAVO_DATA || path.join(root, '.octavo-directory');
  return { ...readSettings({ ...env, OCTAVO_DATA: dataDir }), cells: readCells(env.OCTAVO_CELLS) };
}

/** @throws PlatformError if the setting does not define a unique name and an address for each cell */
function readCells(setting = ''): Map<string, string> {
  const parts = setting.trim().split(/\s+/);
  const cells = parts.map((part) => /^([a-z][a-z0-9]{0,15})=([\w.-]+:\d{1,5})$/.exec(part));
  const addresses = new Map(cells.flatMap((cell) => (cell === null ? [] : [[cell[1] ?? '', cell[2] ?? '']])));
  if (addresses.size === parts.length) return addresses;
  throw new PlatformError(
    `OCTAVO_CELLS must give each installation a name and an address, such as "eu=10.0.0.1:8787 us=10.0.0.2:8787", not "${setting}".`,
  );
}
