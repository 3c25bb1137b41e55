import type { ScriptEvent } from '@octavo/schema';
import type { ScriptTarget } from './script-target.ts';
import { isOfOwner } from './script-target.ts';

const maxPayloadCharacters = 16_384;
const maxIdCharacters = 100;

/** A text without what must not be read anywhere. */
export const without = (text: string, hidden: string[]): string =>
  hidden.reduce((left, secret) => left.replaceAll(secret, '…'), text);

/** What the object of an event is, and nothing that stands in it. */
const idsOf = (event: ScriptEvent): ScriptEvent => ({
  ...Object.fromEntries(
    Object.entries(event).filter(
      ([name, value]) => name.endsWith('Id') && typeof value === 'string' && value.length <= maxIdCharacters,
    ),
  ),
  ...{ eventId: event.eventId, type: event.type },
});

const shownHeaders = ['content-type', 'user-agent'];

/** Of a request, what tells it from others: what else it brings may be a key of whoever sent it. */
function withoutKeys({ request, ...event }: ScriptEvent): ScriptEvent {
  if (typeof request !== 'object' || request === null || !('url' in request) || !('headers' in request)) return event;
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => shownHeaders.includes(name));
  const url = String(request.url).replace(/\?.*/s, '');
  return { ...event, request: { ...request, url, headers: Object.fromEntries(headers) } };
}

/**
 * An event as the log of its integration keeps it: without secrets, and of one that is long no more than what it is. The
 * publisher reads it, so that of installations of others the ids are all that it has.
 */
export function keptEvent(event: ScriptEvent, target: ScriptTarget, hidden: string[]): ScriptEvent {
  if (!isOfOwner(target, event)) return idsOf(event);
  const text = JSON.stringify(withoutKeys(event), (_, value: unknown) =>
    typeof value === 'string' ? without(value, hidden) : value,
  );
  return text.length > maxPayloadCharacters ? idsOf(event) : (JSON.parse(text) as ScriptEvent);
}
