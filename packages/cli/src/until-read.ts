/**
 * Ends a program whose output nobody reads any more, as of `octavo … | head -1`: that is no failure. A command that looks to
 * its own end is asked for that.
 */
export function untilRead(program: NodeJS.Process): void {
  let isRead = true;
  function end(error: NodeJS.ErrnoException): void {
    if (error.code !== 'EPIPE') throw error;
    if (!isRead) return;
    isRead = false;
    if (program.listenerCount('SIGTERM') === 0) program.exit(0);
    program.kill(program.pid, 'SIGTERM');
  }
  for (const output of [program.stdout, program.stderr]) output.on('error', end);
}
