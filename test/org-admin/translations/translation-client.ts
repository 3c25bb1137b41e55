import { json } from '../../support/content.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface Settings {
  id: string;
  title: string;
  languages: string[];
  createdAt: string;
  updatedAt: string;
  urls: { location: string };
}

/** A client for the translation settings of a new organization. */
export async function getTranslations(organization?: TestOrganization) {
  const owner = organization ?? (await platform().makeOrganization());
  const path = `/v1/orgs/${owner.id}/translations`;
  const call = (below = '', method = 'GET', body?: unknown) =>
    platform().request(`${path}${below}`, { token: owner.token, method, body });
  return {
    owner,
    path,
    call,
    make: (title = 'Settings') => json<Settings>(path, { token: owner.token, body: { title } }),
    read: (id: string) => json<Settings>(`${path}/${id}`, { token: owner.token }),
    put: (id: string, language: string, markdown = 'Be brief.') =>
      call(`/${id}/languages/${language}`, 'PUT', { instructions: { markdown } }),
  };
}
