import { isObject, type JsonObject, ownOf, resolveLocal, textAt } from '@octavo/specification';
import type { OperationPart } from './read-parts.ts';
import { listAt, objectIn } from './schema.ts';

/** One thing that a caller shows. */
export interface SchemeOfSecurity {
  name: string;
  scheme: JsonObject;
  scopes: string[];
}

const maxWays = 10;

/** The ways to be let in, each of which is enough; one of nothing needs nothing. */
export function securityOf(
  document: JsonObject,
  { operation }: Pick<OperationPart, 'operation'>,
): SchemeOfSecurity[][] {
  const schemes = objectIn(objectIn(document, 'components'), 'securitySchemes');
  const own = ownOf(operation, 'security');
  const ways = Array.isArray(own) ? own : listAt(document, 'security');
  return ways.slice(0, maxWays).flatMap((way: unknown) => {
    if (!isObject(way)) return [];
    const all = Object.entries(way).flatMap(([name, scopes]): SchemeOfSecurity[] => {
      const scheme = resolveLocal(document, ownOf(schemes, name));
      return isObject(scheme) ? [{ name, scheme, scopes: Array.isArray(scopes) ? scopes.map(String) : [] }] : [];
    });
    return all.length > 0 || Object.keys(way).length === 0 ? [all] : [];
  });
}

/** What a request shows to be let in, as samples have it. */
export interface Credentials {
  headers: { name: string; value: string }[];
  query: { name: string; value: string }[];
  cookies: { name: string; value: string }[];
}

/** Placeholders for the first way in. */
export function credentialsOf(document: JsonObject, part: OperationPart): Credentials {
  const found: Credentials = { headers: [], query: [], cookies: [] };
  const [first = []] = securityOf(document, part).filter((way) => way.length > 0);
  for (const { scheme } of first) {
    const [type, name, place] = [textAt(scheme, 'type'), textAt(scheme, 'name') ?? '', textAt(scheme, 'in')];
    const kind = textAt(scheme, 'scheme')?.toLowerCase();
    if (type === 'apiKey' && name !== '') {
      const list = place === 'query' ? found.query : place === 'cookie' ? found.cookies : found.headers;
      list.push({ name, value: 'YOUR_API_KEY' });
    } else if (type === 'http' && kind === 'basic')
      found.headers.push({ name: 'Authorization', value: 'Basic YOUR_CREDENTIALS' });
    else if (type === 'http' || type === 'oauth2' || type === 'openIdConnect')
      found.headers.push({ name: 'Authorization', value: 'Bearer YOUR_TOKEN' });
  }
  return found;
}
