import type { List, SiteRedirect } from '@octavo/schema';
import { getSite } from '../customized-site.ts';

export const elsewhere = { kind: 'external', url: 'https://example.com/new' } as const;

/** Creates a site with helpers for its redirects. */
export async function makeRedirectingSite() {
  const site = await getSite();
  const create = (body: object) => site.call('/redirects', { body: { destination: elsewhere, ...body } });
  const list = async (query = '') => (await (await site.call(`/redirects${query}`)).json()) as List<SiteRedirect>;
  return {
    ...site,
    create,
    made: async (body: object) => (await (await create(body)).json()) as SiteRedirect,
    list,
    sources: async (query = '') => (await list(query)).items.map(({ source }) => source).toSorted(),
    patch: (id: string, body: unknown) => site.call(`/redirects/${id}`, { method: 'PATCH', body }),
    bulk: (redirects: unknown) => site.call('/redirects', { method: 'PUT', body: { redirects } }),
  };
}
