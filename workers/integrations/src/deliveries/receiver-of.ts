import { describe, log, unseal } from '@octavo/runtime';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { Receiver } from './post-event.ts';
import type { Subscriber } from './subscriber.ts';

type SecretFields = 'secret' | 'previousSecret' | 'previousUntil' | 'sealedFor';

/** Where events go, and the secrets that sign them now: the newest first. None where none of them opens. */
export async function receiverOf(
  env: IntegrationsEnvironment,
  { url, secret, previousSecret, previousUntil, sealedFor }: Pick<Subscriber, 'url' | SecretFields>,
): Promise<Receiver> {
  const isPreviousValid = previousUntil !== null && previousUntil > Date.now();
  const sealed = [secret, isPreviousValid ? previousSecret : null].flatMap((each) => each ?? []);
  const opened = await Promise.all(sealed.map((each) => open(env, sealedFor, each)));
  return { url: url ?? '', secrets: opened.flatMap((each) => each ?? []) };
}

/** A secret, unless the server's own was changed since without the one before it. */
async function open(env: IntegrationsEnvironment, owner: string, sealed: string): Promise<string | undefined> {
  try {
    return String(await unseal(env, owner, sealed));
  } catch (error) {
    log('error', 'secret of a subscription not opened', { owner, cause: describe(error) });
    return undefined;
  }
}
