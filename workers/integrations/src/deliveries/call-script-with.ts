import type { Database } from '@octavo/db';
import { describe, log, urlsOf } from '@octavo/runtime';
import type { InstallationPayload } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { dispatchEvent } from '../scripts/dispatch-event.ts';
import type { Attempt } from './outcome.ts';
import type { Due } from './read-round.ts';
import type { Subscriber } from './subscriber.ts';

/** A script handles no such events: it has what it wants of this one. */
const NOT_HANDLED = 406;

/** Hands an event to the script of an installation's integration, also once the installation is gone. */
export async function callScriptWith(
  env: IntegrationsEnvironment,
  db: Database,
  { id, installation, integration, integrationAccount: account }: Subscriber,
  { event, depth }: Pick<Due, 'depth'> & { event: InstallationPayload },
): Promise<Attempt> {
  const at = Date.now();
  const to = { installation: installation ?? '', integration: integration ?? '', account };
  const attempt = (more: Pick<Attempt, 'status' | 'error' | 'settled'>): Attempt => ({
    ...{ at, milliseconds: Date.now() - at, answer: null, retryAfter: 0 },
    ...more,
  });
  try {
    const { status, error = null } = await dispatchEvent({ env, db, urls: urlsOf(env) }, { ...to, event, depth });
    return attempt({ status, error, ...(status === NOT_HANDLED && { settled: 'delivered' }) });
  } catch (error) {
    log('error', 'script not called', { subscription: id, cause: describe(error) });
    return attempt({ status: null, error: 'could not be called' });
  }
}
