import type { Platform } from '@octavo/platform';

/** Tells the process that watches over this one that the platform is up, answers its checks, and ends with it. */
export function answerChecks({ check }: Platform, stop: () => Promise<void>): void {
  const tell = (word: 'ready' | 'healthy') => process.connected && process.send?.(word);
  if (process.send === undefined) return;
  process.on('message', async () => {
    if (await check()) tell('healthy');
  });
  process.on('disconnect', stop);
  if (process.connected) tell('ready');
  else void stop();
}
