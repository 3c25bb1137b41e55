import type { CustomizationChanges, SiteCustomization } from '@octavo/schema';
import { getSite } from '../customized-site.ts';

/** Creates a site with customization settings, and helpers for the settings of its site space. */
export async function makeCustomizedSiteSpace(settings: CustomizationChanges = {}) {
  const site = await getSite();
  await site.call('/customization', { method: 'PUT', body: settings });
  const path = `/site-spaces/${site.siteSpace}/customization`;
  const read = async (at: string) => (await (await site.call(at)).json()) as SiteCustomization;
  return {
    ...site,
    path,
    read: () => read(path),
    readSite: () => read('/customization'),
    patch: (body: unknown) => site.call(path, { method: 'PATCH', body }),
  };
}
