import type { Endpoint } from '@octavo/schema';
import { collaboration, content } from '@octavo/schema';

/** The reads whose addresses name content: as `urls.location` has them, and as `urls.app` does. */
const reads: Endpoint[] = [
  content.getCollectionById,
  content.getSpaceById,
  content.getCurrentRevision,
  content.getPageById,
  content.getPageByPath,
  collaboration.getChangeRequestById,
  content.getRevisionOfChangeRequestById,
  content.getPageInChangeRequestById,
  content.getPageInChangeRequestByPath,
  content.getRevisionById,
  content.getPageInRevisionById,
  content.getPageInRevisionByPath,
];

/** `:name` stands for one segment, a last `:name+` for one or more. */
const places = reads.map((endpoint) => {
  const groups = endpoint.path
    .replace(/^\/v1/, '')
    .replace(/:(\w+)\+/g, '(?<$1>.+)')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)');
  return { endpoint, pattern: new RegExp(`^${groups}/?$`) };
});

interface EndpointCall {
  endpoint: Endpoint;
  params: Record<string, string>;
}

/** What read an address of the platform at `base` stands for, and what its parameters are; query and anchor do not count. */
export function findPlace(address: string, base: string): EndpointCall | undefined {
  const [{ origin, pathname }, home] = [new URL(address), new URL(base)];
  const root = home.pathname.replace(/\/$/, '');
  if (origin !== home.origin || !pathname.startsWith(`${root}/`)) return undefined;
  const path = /^\/(?:v1|app)(\/.*)$/.exec(pathname.slice(root.length))?.[1];
  if (path === undefined) return undefined;
  for (const { endpoint, pattern } of places) {
    const groups = pattern.exec(path)?.groups;
    if (groups !== undefined) return { endpoint, params: { ...groups } };
  }
  return undefined;
}
