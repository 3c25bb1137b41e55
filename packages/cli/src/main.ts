import { runOctavo } from './octavo.ts';
import { endWhenOutputCloses } from './terminal.ts';

// The parent process has ended, so no user could stop this process.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
endWhenOutputCloses(process);

process.exitCode = await runOctavo(process.argv.slice(2), process);
