import type { Database } from '@octavo/db';
import { urlsOf } from '@octavo/runtime';
import { installationPayloadOf, payloadOf } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { callScriptWith } from './call-script-with.ts';
import type { Attempt } from './outcome.ts';
import { unsent } from './outcome.ts';
import { postEvent } from './post-event.ts';
import type { Due } from './read-round.ts';
import { receiverOf } from './receiver-of.ts';
import type { Subscriber } from './subscriber.ts';

/** Sends an event, and tells what came of it. */
export type Send = (due: Due) => Promise<Attempt>;

/** How events are sent to a subscription, as it is now. */
export async function senderFor(env: IntegrationsEnvironment, db: Database, to: Subscriber): Promise<Send> {
  if (to.kind === 'installation_script') return toScript(env, db, to);
  const receiver = await receiverOf(env, to);
  if (receiver.url === '') return async () => unsent('the integration names no address');
  return (due) => {
    const payload = to.kind === 'webhook' ? payloadOf(due.event) : payloadFor(env, to, due);
    return postEvent(env, receiver, { delivery: sentAs(due), type: payload.type, payload });
  };
}

/** What is asked for once more goes under another id, so that a receiver which has seen the first takes it. */
const sentAs = ({ id, redeliveries }: Due): string => (redeliveries === 0 ? id : `${id}-${redeliveries}`);

function toScript(env: IntegrationsEnvironment, db: Database, to: Subscriber): Send {
  return (due) => callScriptWith(env, db, to, { event: payloadFor(env, to, due), depth: due.depth });
}

function payloadFor(env: IntegrationsEnvironment, { installation }: Subscriber, { event, actorName }: Due) {
  const { actor: id } = event;
  const urls = { location: urlsOf(env).location(`/users/${id}`) };
  return installationPayloadOf(event, installation ?? '', { object: 'user', id, displayName: actorName ?? '', urls });
}
