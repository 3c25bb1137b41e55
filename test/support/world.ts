import type { IdKind, Role } from '@octavo/schema';
import { newId, roles } from '@octavo/schema';
import { json, makeChangeRequest } from './content.ts';
import { writePast } from './database.ts';

import type { Server, TestOrganization, TestSpace, TestUser } from './platform.ts';

/** On a platform of the test's own: one organization with a user of each role and an object of each kind that there is. */
export interface World {
  organization: TestOrganization;
  space: TestSpace;
  users: Record<Role | 'guest', TestUser>;
  /** Real ids, by the names of the parameters of paths. */
  ids: Record<string, string>;
}

const rows: Record<string, { kind: IdKind; values: Record<string, string | number> }> = {
  collections: { kind: 'collection', values: { title: 'A collection', created_by: '', created_at: 1 } },
  teams: { kind: 'team', values: { title: 'A team', created_at: 1 } },
  invites: { kind: 'invite', values: { role: 'read', created_by: '', created_at: 1 } },
  saml_providers: { kind: 'samlProvider', values: { label: 'A provider', created_at: 1 } },
  translation_settings: { kind: 'translation', values: { title: 'Settings', created_at: 1, updated_at: 1 } },
};

/** What a site has, by tables. */
const rowsOfSite: Record<string, { kind: IdKind; parameter: string; values: Record<string, string | number> }> = {
  site_sections: { kind: 'section', parameter: 'siteSectionId', values: { title: 'A section', path: 'a' } },
  site_section_groups: { kind: 'sectionGroup', parameter: 'siteSectionGroupId', values: { title: 'A group' } },
  site_spaces: { kind: 'siteSpace', parameter: 'siteSpaceId', values: { space: '', path: 'a' } },
  site_external_links: {
    kind: 'externalLink',
    parameter: 'siteExternalLinkId',
    values: { title: 'A link', url: 'https://example.test' },
  },
};

const insert = ({ dataDir }: Pick<Server, 'dataDir'>, table: string, row: Record<string, string | number>) => {
  const places = Object.keys(row).map(() => '?');
  const statement = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`;
  return writePast({ dataDir }, statement, ...Object.values(row));
};

async function makeSite(server: Server, organization: string): Promise<Record<string, string>> {
  const site = newId('site');
  const secrets = { stamp: site, auth_key: site, created_by: '', created_at: 1 };
  await insert(server, 'sites', { id: site, organization, title: 'A site', basename: site, ...secrets });
  const ids: Record<string, string> = { siteId: site };
  for (const [table, { kind, parameter, values }] of Object.entries(rowsOfSite)) {
    const id = newId(kind);
    await insert(server, table, { id, site, position: 'a0', created_at: 1, ...values });
    ids[parameter] = id;
  }
  const shareLinkId = newId('shareLink');
  const link = { id: shareLinkId, site, name: 'A link', key_hash: shareLinkId, created_at: 1 };
  await insert(server, 'site_share_links', link);
  return { ...ids, shareLinkId };
}

async function makeIntegration(server: Server, organization: string): Promise<string> {
  const name = newId('account');
  const { user: account } = await server.makeUser();
  const more = { title: 'A tool', script: name, signing_secret: '', created_by: '', created_at: 1, updated_at: 1 };
  await insert(server, 'integrations', { name, organization, account, ...more });
  return name;
}

/** One object of each kind that an organization holds, and a member, as a test may use them up. */
export async function makeObjects(
  server: Server,
  { id: organization, token }: TestOrganization,
): Promise<Record<string, string>> {
  const { dataDir, makeUser } = server;
  const member = await makeUser({ organization, role: 'read' });
  const ids: Record<string, string> = {
    ...(await makeSite(server, organization)),
    ...{ userId: member.user, translationLanguage: 'en' },
  };
  for (const [table, { kind, values }] of Object.entries(rows)) {
    const id = newId(kind);
    await insert(server, table, { id, organization, ...values });
    ids[kind === 'translation' ? 'translationSettingsId' : `${kind}Id`] = id;
  }
  ids.integrationName = await makeIntegration(server, organization);
  const installing = { token, body: { organization } };
  const installed = `/v1/integrations/${ids.integrationName}/installations`;
  ids.installationId = (await json<{ id: string }>(installed, installing, server)).id;
  const language = 'INSERT INTO translation_languages (settings, language, instructions) VALUES (?, ?, ?)';
  await writePast({ dataDir }, language, ids.translationSettingsId ?? '', 'en', '{"markdown":""}');
  const membership = 'INSERT INTO team_members (team, user, organization) VALUES (?, ?, ?)';
  await writePast({ dataDir }, membership, ids.teamId ?? '', member.user, organization);
  return ids;
}

export async function makeWorld(server: Server): Promise<World> {
  const { makeOrganization, makeSpace, makeUser } = server;
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const users = {} as World['users'];
  for (const role of roles) users[role] = await makeUser({ organization: organization.id, role });
  users.guest = await makeUser({ organization: organization.id, role: null as unknown as string });
  const changes = [
    { operation: 'insert_page', title: 'A page', document: { markdown: 'Some words.' } },
    { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'Shared words.' } },
    { operation: 'insert_files', files: [{ name: 'a.txt', base64: 'QQ==', contentType: 'text/plain' }] },
  ];
  const edited = await json<{
    changes: { page: { id: string }; reusableContent?: string }[];
    insertedFiles: { id: string }[];
  }>(`/v1/spaces/${space.id}/content`, { token: space.token, body: { changes } }, server);
  const changeRequest = await makeChangeRequest(space, 'A change', server);
  const reviews = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}/reviews`;
  const review = await json<{ id: string }>(reviews, { token: space.token, body: { status: 'approved' } }, server);
  const ids = {
    organizationId: organization.id,
    spaceId: space.id,
    changeRequestId: changeRequest.id,
    reviewId: review.id,
    revisionId: space.revision,
    pageId: edited.changes[0]?.page.id ?? '',
    fileId: edited.insertedFiles[0]?.id ?? '',
    pagePath: 'a-page',
    reusableContentId: edited.changes[1]?.reusableContent ?? '',
    emailDomain: 'example.test',
    ...(await makeObjects(server, organization)),
  };
  return { organization, space, users, ids };
}
