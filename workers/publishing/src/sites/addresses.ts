import type { Check } from '@octavo/db';
import { isOwnHost } from '@octavo/runtime';
import type { BodyOf, OrganizationId, publishing, SiteId } from '@octavo/schema';
import { conflict, invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

type Addresses = Pick<BodyOf<typeof publishing.updateSiteById>, 'basename' | 'hostname' | 'proxy'>;

export const lowerHost = (proxy: string | null | undefined) =>
  proxy?.replace(/^[^/]*/, (host) => host.toLowerCase()) ?? proxy;

/** The hosts that are named, by the fields that name them. */
const hostsOf = ({ hostname, proxy }: Addresses): [field: 'hostname' | 'proxy', host: string][] => [
  ...(hostname == null ? [] : [['hostname', hostname] as ['hostname', string]]),
  ...(proxy == null ? [] : [['proxy', proxy.replace(/\/.*$/, '').toLowerCase()] as ['proxy', string]]),
];

/** The hosts of the server itself, and those of organizations, are no site's own. @throws ApiError invalid */
export function requireForeign(env: PublishingEnvironment, body: Addresses): void {
  const own = hostsOf(body).filter(([, host]) => isOwnHost(env, host));
  if (own.length > 0) throw invalid(own.map(([field]) => ({ path: `body.${field}`, message: "is this server's own" })));
}

interface Addressed {
  id: SiteId;
  organization: OrganizationId;
}

export function addressChecks({ id, organization }: Addressed, body: Addresses): Check[] {
  const isFree = (column: string, value: string | null | undefined, message: string): Check => ({
    holds: sql`NOT EXISTS (SELECT 1 FROM sites WHERE ${sql.raw(column)} = ${value ?? null} AND id <> ${id}
      AND (${column} <> 'basename' OR organization = ${organization}))`,
    otherwise: () => conflict(message),
    heldBy: 'constraint',
  });
  return [
    isFree('basename', body.basename, 'Another site of the organization has this basename.'),
    isFree('hostname', body.hostname, 'The hostname belongs to another site.'),
    isFree('proxy', lowerHost(body.proxy), 'Another site is passed on at this address.'),
    ...hostsOf(body).map(([, host]) => isOfOne(organization, host)),
  ];
}

/** A host, with all paths on it, is one organization's. In the order of text, what begins with 'host/' ends before 'host0'. */
const isOfOne = (organization: OrganizationId, host: string): Check => ({
  holds: sql`NOT EXISTS (SELECT 1 FROM sites WHERE hostname = ${host} AND organization <> ${organization})
    AND NOT EXISTS (SELECT 1 FROM sites
      WHERE proxy >= ${`${host}/`} AND proxy < ${`${host}0`} AND organization <> ${organization})`,
  otherwise: () => conflict(`The host ${host} belongs to a site of another organization.`),
});
