import { type DeploySettings, PlatformError } from '@octavo/platform';
import type { Account, SharedTriggers, Zone } from './account.ts';
import { CallError } from './cloudflare.ts';
import type { PlannedWorker } from './configurations.ts';

/** Returns undefined if the token may not read the list. */
async function listIfAllowed<Item>({ api }: Account, path: string): Promise<Item[] | undefined> {
  try {
    return await api.list<Item>(path);
  } catch (error) {
    if (error instanceof CallError && [401, 403].includes(error.status)) return undefined;
    throw error;
  }
}

/**
 * Refuses hosts that something else uses. Outside a terminal, wrangler replaces the DNS record or the worker of a host
 * without a question, so the token must be allowed to read DNS records.
 */
export async function checkHosts(
  account: Account,
  { name, configuration: { routes } }: PlannedWorker,
  { domains }: SharedTriggers,
): Promise<void> {
  for (const { pattern: host } of routes.filter((route) => 'custom_domain' in route)) {
    const domain = domains.find(({ hostname }) => hostname === host);
    if (domain?.service === name) continue;
    if (domain !== undefined) throw new PlatformError(`${host} already belongs to the worker ${domain.service}.`);
    const zone = await account.findZone(host);
    const records = await account.api.list<{ name: string }>(`/zones/${zone.id}/dns_records?name=${host}`);
    if (records.some((record) => record.name === host))
      throw new PlatformError(`${host} has a DNS record already. Delete it, or choose another host.`);
  }
}

/** Cloudflare's free certificate covers the zone and one level of names below it. */
const isCoveredForFree = (host: string, zone: Zone): boolean =>
  host.replace(`.${zone.name}`, '').split('.').length === 1;

/**
 * Describes the DNS record and the certificate that an administrator of the zone must still create for the host names
 * of sites. For the host of the API, and for a single host of all sites, Cloudflare Workers creates both.
 */
export async function findMissingHostNames(account: Account, { sites }: DeploySettings): Promise<string[]> {
  if (!sites.includes('{organization}.')) return [];
  const { host } = new URL(sites.replace('{organization}.', ''));
  const zone = await account.findZone(host);
  const wildcard = `*.${host}`;
  const records = await listIfAllowed<{ name: string; proxied: boolean }>(
    account,
    `/zones/${zone.id}/dns_records?name=${wildcard}`,
  );
  const packs = await listIfAllowed<{ hosts: string[] }>(account, `/zones/${zone.id}/ssl/certificate_packs?status=all`);
  const hasRecord = records?.some(({ name, proxied }) => name === wildcard && proxied);
  const hasCertificate = isCoveredForFree(wildcard, zone) || packs?.some(({ hosts }) => hosts.includes(wildcard));
  const check = (known: unknown) =>
    known === undefined ? ' The API token has no permission to check whether it exists.' : '';
  return [
    ...(hasRecord
      ? []
      : [`A DNS record in ${zone.name}: name ${wildcard}, type AAAA, content 100::, proxied.${check(records)}`]),
    ...(hasCertificate
      ? []
      : [`A certificate for ${wildcard} (Advanced Certificate Manager of ${zone.name}).${check(packs)}`]),
  ];
}
