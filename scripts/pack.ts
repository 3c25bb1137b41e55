import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildPackage } from './packages/build-packages.ts';
import { root } from './settings.ts';
import { exitWithError } from './terminal.ts';

/**
 * Runs before and after `npm pack` of a package. npm packs the folder of the package, which has only the sources.
 * Before, this script builds the package that users install in `build/packages`. Afterwards, it replaces npm's archive
 * with an archive of that build. Nothing in the folders of the repository changes, so an interrupted `npm pack` leaves
 * nothing to restore.
 */

const [name = ''] = process.argv.slice(2);
const { npm_lifecycle_event, npm_execpath = '', npm_config_dry_run, INIT_CWD = '.' } = process.env;
const destination = path.resolve(INIT_CWD, process.env.npm_config_pack_destination ?? '.');
const staging = path.join(root, 'build', 'packages', name);

try {
  if (npm_lifecycle_event === 'prepack') await buildPackage(root, name, staging);
  else if (npm_config_dry_run !== 'true') await packStaging();
} catch (error) {
  exitWithError(error);
}

async function packStaging(): Promise<void> {
  const options = ['--ignore-scripts', '--silent', '--json=false', '--pack-destination', destination];
  await promisify(execFile)(process.execPath, [npm_execpath, 'pack', staging, ...options], { cwd: root });
}
