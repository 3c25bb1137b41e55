import { octavo } from './octavo.ts';
import { untilRead } from './terminal.ts';

// The parent process has ended, so no user could stop this process.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
untilRead(process);

process.exitCode = await octavo(process.argv.slice(2), process);
