import { octavo } from './octavo.ts';

process.exitCode = await octavo(process.argv.slice(2), process);
