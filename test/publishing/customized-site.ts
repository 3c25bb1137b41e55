import { createId } from '@octavo/schema';
import { writeDatabase } from '../support/database.ts';
import type { RequestOptions, TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

export interface TestSite {
  id: string;
  organization: TestOrganization;
  /** The only space of the site. */
  space: string;
  siteSpace: string;
  section: string;
  call(path: string, options?: RequestOptions): Promise<Response>;
}

/** Creates a site with a section and a site space in a new organization. `call` takes paths relative to the site. */
export async function getSite(organization?: TestOrganization): Promise<TestSite> {
  const server = platform();
  const { makeOrganization, makeSpace, request } = server;
  const owner = organization ?? (await makeOrganization());
  const { id: space } = await makeSpace({ organization: owner });
  const [id, section, siteSpace] = [createId('site'), createId('section'), createId('siteSpace')];
  await writeDatabase(
    server,
    `INSERT INTO sites (id, organization, title, basename, stamp, auth_key, created_by, created_at)
      VALUES (?1, ?2, 'Docs', ?1, 'first', 'key', ?3, 1)`,
    ...[id, owner.id, owner.user],
  );
  await writeDatabase(
    server,
    `INSERT INTO site_sections (id, site, title, path, is_default, position, created_at)
      VALUES (?, ?, 'Guide', 'guide', 1, 'a0', 1)`,
    ...[section, id],
  );
  await writeDatabase(
    server,
    `INSERT INTO site_spaces (id, site, section, space, path, is_default, position, created_at)
      VALUES (?, ?, ?, ?, 'en', 1, 'a0', 1)`,
    ...[siteSpace, id, section, space],
  );
  const base = `/v1/orgs/${owner.id}/sites/${id}`;
  const call = (path: string, options: RequestOptions = {}) =>
    request(`${base}${path}`, { token: owner.token, ...options });
  return { id, organization: owner, space, siteSpace, section, call };
}
