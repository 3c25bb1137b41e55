import { runOctavo } from './octavo.ts';
import { endWhenOutputCloses } from './terminal.ts';

// End this process when the parent process has ended, because no user could stop it then.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
endWhenOutputCloses(process);

process.exitCode = await runOctavo(process.argv.slice(2), process);
