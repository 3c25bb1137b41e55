import { buildPlatform } from '@octavo/platform';
import { outDir, root } from './settings.ts';
import { exitWithError } from './terminal.ts';

try {
  const { isRebuilt, workers } = await buildPlatform({ root, outDir });
  console.log(isRebuilt ? `Built ${workers.length} workers in build/` : 'Nothing changed since the last build.');
} catch (error) {
  exitWithError(error);
}
