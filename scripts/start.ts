import path from 'node:path';
import { buildPlatform, PlatformError, serverBundle, serverFlags } from '@octavo/platform';
import { outDir, readSettings, root } from './settings.ts';
import { exitWithError, reportStep } from './terminal.ts';

/*
 * Builds the server and then replaces this process with it (`execve`), so that the memory of the build is released. The
 * server is a separate bundle and reads its settings from the environment again.
 */
try {
  const args = process.argv.slice(2);
  const strange = args.find((arg) => arg !== '--empty' && arg !== '--bare');
  if (strange)
    throw new PlatformError(`npm start does not accept "${strange}". Its options are -- --empty and -- --bare.`);
  const { shape } = readSettings(process.env);
  console.log('Octavo');
  await reportStep('build', async () => {
    const { isRebuilt, workers } = await buildPlatform({
      root,
      outDir,
      scope: shape === 'workers' ? 'all' : 'machine',
    });
    return [undefined, isRebuilt ? `${workers.length} workers` : 'nothing changed'];
  });
  const { execve } = process;
  // Separate workers need Miniflare, which reads its files from its own packages and not from the build.
  if (shape === 'workers' || execve === undefined) await import('./serve.ts');
  else execve(process.execPath, [process.execPath, ...serverFlags, path.join(outDir, serverBundle), ...args]);
} catch (error) {
  exitWithError(error);
}
