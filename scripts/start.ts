import path from 'node:path';
import { buildPlatform, PlatformError, serverBundle, serverFlags } from '@octavo/platform';
import { outDir, readSettings, root } from './settings.ts';
import { explain, step } from './terminal.ts';

/*
 * Builds, and becomes the server, so that what building took is given back: the server is a bundle of its own, and reads
 * what it needs from the environment again.
 */
try {
  const args = process.argv.slice(2);
  const strange = args.find((arg) => arg !== '--empty');
  if (strange) throw new PlatformError(`npm start does not accept "${strange}". The only option is -- --empty.`);
  const { shape } = readSettings(process.env);
  console.log('Octavo');
  await step('build', async () => {
    const { rebuilt, workers } = await buildPlatform({ root, outDir });
    return [undefined, rebuilt ? `${workers.length} workers` : 'nothing changed'];
  });
  const { execve } = process;
  // What Miniflare needs is read from the packages, not from the build.
  if (shape === 'workers' || execve === undefined) await import('./serve.ts');
  else execve(process.execPath, [process.execPath, ...serverFlags, path.join(outDir, serverBundle), ...args]);
} catch (error) {
  explain(error);
}
