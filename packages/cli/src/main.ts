import { octavo } from './octavo.ts';
import { untilRead } from './terminal.ts';

// Whoever started it is gone, and nobody could end it any more.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
untilRead(process);

process.exitCode = await octavo(process.argv.slice(2), process);
