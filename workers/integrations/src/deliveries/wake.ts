import type { Background } from '@octavo/runtime';
import { describe, log } from '@octavo/runtime';
import type { SendMessage } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';

const maxPerBatch = 100;
/** What is due later than that is left to the sweep. */
const soonMilliseconds = 60_000;

/** Has something sent to subscriptions. */
export async function wake(env: IntegrationsEnvironment, due: SendMessage[], delaySeconds = 0): Promise<void> {
  const messages = due.map((body) => ({ body, delaySeconds }));
  for (let start = 0; start < messages.length; start += maxPerBatch)
    await env.SENDS.sendBatch(messages.slice(start, start + maxPerBatch));
}

/** Wakes subscriptions after the answer. One that is lost on the way is woken by the sweep. */
export function wakeAfterwards(
  env: IntegrationsEnvironment,
  background: Background,
  due: SendMessage[],
  delaySeconds = 0,
): void {
  background.waitUntil(
    wake(env, due, delaySeconds).catch((error: unknown) =>
      log('error', 'subscriptions wait for the sweep', { cause: describe(error) }),
    ),
  );
}

/** Wakes a subscription when something is due for it. */
export function wakeLater(env: IntegrationsEnvironment, background: Background, due: SendMessage, at: number): void {
  const milliseconds = Math.max(0, at - Date.now());
  if (milliseconds <= soonMilliseconds) wakeAfterwards(env, background, [due], Math.ceil(milliseconds / 1000));
}
