import { parseArgs } from 'node:util';
import { PlatformError } from '@octavo/platform';
import { runSearchQuality } from './search-quality/run-search-quality.ts';
import { formatQueries, formatScores } from './search-quality/tables.ts';
import { exitWithError } from './terminal.ts';

const usage = `Usage: npm run search:quality -- [--held] [--list]
  --held  Run the held third of the queries instead of the others
  --list  Also print each query with the rank of its first right page
  --help  Print this text`;

function readOptions() {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ options: { held: flag, list: flag, help: flag } }).values;
  } catch (error) {
    throw new PlatformError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

try {
  const { held, list, help } = readOptions();
  if (help) {
    console.log(usage);
  } else {
    const judged = await runSearchQuality(held);
    if (list) console.log(`${formatQueries(judged)}\n`);
    console.log(formatScores(judged));
  }
} catch (error) {
  exitWithError(error);
}
