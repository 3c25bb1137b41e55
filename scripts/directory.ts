import { buildPlatform, startDirectory } from '@octavo/platform';
import { respondToWatch } from './answer-watch.ts';
import { readDirectorySettings } from './directory-settings.ts';
import { outDir, root } from './settings.ts';
import { exitWithError, reportStep } from './terminal.ts';

/** Builds and starts the directory in front of several installations. */
try {
  const { supervisorFolder, patienceSeconds, ...settings } = readDirectorySettings(process.env);
  console.log('Octavo directory');
  await reportStep('build', async () => {
    const { isRebuilt } = await buildPlatform({ root, outDir });
    return [undefined, isRebuilt ? 'done' : 'nothing changed'];
  });
  const directory = await startDirectory({ ...settings, outDir });
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await directory.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  console.log(`The directory is ready at ${directory.url}. Press Ctrl-C to stop.`);
  if (supervisorFolder !== undefined) await respondToWatch(supervisorFolder, patienceSeconds, stop);
} catch (error) {
  exitWithError(error);
}
