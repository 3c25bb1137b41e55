import { replay } from '@octavo/cli';

process.exitCode = await replay(process.argv.slice(2), process);
