import { seed } from './seed.ts';
import { readSettings } from './settings.ts';
import { exitWithError } from './terminal.ts';

/** Creates the missing initial content of a running server: `fill.ts <server URL> [--empty]`. */
try {
  const [url = '', ...flags] = process.argv.slice(2);
  const onProgress = (doneCount: number, total: number) => {
    if (process.stdout.isTTY) process.stdout.write(`\r  ${'seed'.padEnd(10)}${doneCount} of ${total} pages`);
  };
  await seed({ dataDir: readSettings(process.env).dataDir, url, isEmpty: flags.includes('--empty'), onProgress });
} catch (error) {
  exitWithError(error);
}
