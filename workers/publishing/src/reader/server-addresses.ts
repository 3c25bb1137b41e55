import { isObject, type JsonObject, ownOf, textAt } from '@octavo/specification';

/** Where a text that was given itself is read: it comes from no server. */
const ownAddress = /\/v1\/orgs\/[^/]+\/openapi\/[^/]+\/versions\/[^/]+\/content$/;

/** A relative address of a server is relative to where the specification comes from. */
function withAbsolute(servers: unknown[], source: string): unknown[] {
  return servers.map((server) => {
    const url = isObject(server) ? textAt(server, 'url') : undefined;
    if (!isObject(server) || url === undefined || /^(?:[a-z][a-z\d+.-]*:|\{)/i.test(url)) return server;
    if (!URL.canParse(url, source)) return server;
    return { ...server, url: new URL(url, source).href.replace(/%7B/gi, '{').replace(/%7D/gi, '}') };
  });
}

/** An excerpt in which the addresses of servers stand for themselves, as far as it is known where it comes from. */
export function withAbsoluteServers(document: JsonObject, source: string | undefined): JsonObject {
  const servers = ownOf(document, 'servers') ?? [{ url: '/' }];
  if (!Array.isArray(servers) || source === undefined || ownAddress.test(source)) return document;
  return { ...document, servers: withAbsolute(servers, source) };
}
