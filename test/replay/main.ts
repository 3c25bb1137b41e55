import { replay } from './replay.ts';

process.exitCode = await replay(process.argv.slice(2), process);
