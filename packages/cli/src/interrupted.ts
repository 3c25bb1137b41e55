/** As many times a command is asked to end until it is made to, whatever it has begun. */
const patience = 3;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves when somebody ends the command, by Ctrl-C or a signal: what it has begun is to be ended then. While it does that
 * it is not cut off by one more; the third ends it.
 */
export const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    let asked = 0;
    function ask(signal: NodeJS.Signals): void {
      asked += 1;
      resolve();
      if (asked < patience) return;
      for (const each of signals) process.off(each, ask);
      process.kill(process.pid, signal);
    }
    for (const signal of signals) process.on(signal, ask);
  });
