import { isObject, type JsonObject, ownOf, textAt } from '@octavo/specification';
import { plain } from './media.ts';
import type { OperationPart } from './read-parts.ts';
import { listAt, objectIn } from './schema.ts';

/** Where an API is. */
export interface ServerOfApi {
  /** With the defaults of its variables, without a slash at the end. */
  url: string;
  description: string | undefined;
}

/** Where a page may try an API: over HTTPS, and on the reader's own machine. */
export function testOriginsOf(servers: ServerOfApi[]): string[] {
  const origins = servers.flatMap(({ url }) => {
    if (!URL.canParse(url)) return [];
    const { protocol, hostname, origin } = new URL(url);
    const isOwnMachine = protocol === 'http:' && /^(?:localhost|127\.0\.0\.1)$/.test(hostname);
    return (protocol === 'https:' || isOwnMachine) && /^[\w:/.-]+$/.test(origin) ? [origin] : [];
  });
  return [...new Set(origins)];
}

const maxServers = 10;

/** The servers of an operation: of the web alone, or relative to nothing that is known. */
export function serversOf(
  document: JsonObject,
  { item, operation }: Pick<OperationPart, 'item' | 'operation'>,
): ServerOfApi[] {
  const nearest = [operation, item, document].map((each) => listAt(each, 'servers')).find((list) => list.length > 0);
  return (nearest ?? []).slice(0, maxServers).flatMap((server) => {
    const given = isObject(server) ? textAt(server, 'url') : undefined;
    if (!isObject(server) || given === undefined) return [];
    const url = given.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
      const value = ownOf(objectIn(objectIn(server, 'variables'), name), 'default');
      return value === undefined ? whole : plain(value);
    });
    const isWeb = /^https?:\/\/[^\s"'<>\\^`]+$/i.test(url) || /^\/(?!\/)[^\s"'<>\\^`]*$/.test(url);
    return isWeb ? [{ url: url.replace(/\/+$/, ''), description: textAt(server, 'description') }] : [];
  });
}
