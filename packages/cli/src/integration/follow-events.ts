import type { IntegrationEvent } from '@octavo/schema';
import type { Api } from '../api.ts';

/** So many are read at once, and so many pages back at the most: of what is logged faster, the newest are shown. */
const pageSize = 50;
const maxPages = 10;

/** Gives what an integration's script was called for, at each call what is new since the last one, the oldest first. */
export function followEvents(api: Api, integrationName: string) {
  let known: ReadonlySet<string> | undefined;

  return async function readNew(): Promise<IntegrationEvent[]> {
    const found: IntegrationEvent[] = [];
    let page: string | undefined;
    for (let read = 0; read < (known === undefined ? 1 : maxPages); read++) {
      const query = { limit: String(pageSize), page };
      const { items, next } = await api.listIntegrationEvents({ params: { integrationName }, query });
      const fresh = items.filter(({ id }) => !known?.has(id));
      found.push(...fresh);
      page = next?.page;
      if (fresh.length < items.length || page === undefined) break;
    }
    known = new Set(
      [...found.slice(0, pageSize * maxPages).map(({ id }) => id), ...(known ?? [])].slice(0, pageSize * maxPages),
    );
    return found.reverse();
  };
}

/** What goes on in a next line is set in, so that it does not pass for a line of its own. */
const setIn = (text: string): string => text.replaceAll('\n', '\n    ');

/** An event, what the script logged of it and why it failed, as lines. */
export function tellEvent(
  { createdAt, status, installationId, payload }: IntegrationEvent,
  { logs, error }: { logs: { level: string; message: string }[]; error?: string | undefined },
) {
  const { type, ...rest } = payload;
  const where = installationId === undefined ? '' : ` ${installationId}`;
  return [
    `${createdAt} ${status} ${type}${where} ${JSON.stringify(rest)}`,
    ...logs.map(({ level, message }) => `  [${level}] ${setIn(message)}`),
    ...(error === undefined ? [] : [`  ${setIn(error)}`]),
  ];
}
