import type { IdKind, Role } from '@octavo/schema';
import { createId, roles } from '@octavo/schema';
import { json, makeChangeRequest } from './content.ts';
import { writeDatabaseAtOnce } from './database.ts';

import type { Server, TestOrganization, TestSpace, TestUser } from './platform.ts';

/** An organization with a user of each role and an object of each kind, on a separate platform. */
export interface World {
  organization: TestOrganization;
  space: TestSpace;
  users: Record<Role | 'guest', TestUser>;
  /** Existing ids, by path parameter. */
  ids: Record<string, string>;
}

const rows: Record<string, { kind: IdKind; values: Record<string, string | number> }> = {
  collections: { kind: 'collection', values: { title: 'A collection', created_by: '', created_at: 1 } },
  teams: { kind: 'team', values: { title: 'A team', created_at: 1 } },
  invites: { kind: 'invite', values: { role: 'read', created_by: '', created_at: 1 } },
  saml_providers: { kind: 'samlProvider', values: { label: 'A provider', created_at: 1 } },
  translation_settings: { kind: 'translation', values: { title: 'Settings', created_at: 1, updated_at: 1 } },
};

/** The objects that belong to a site, by table. */
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

interface Statement {
  sql: string;
  values: (string | number)[];
}

function insert(table: string, row: Record<string, string | number>): Statement {
  const places = Object.keys(row).map(() => '?');
  const sql = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`;
  return { sql, values: Object.values(row) };
}

interface Inserts {
  ids: Record<string, string>;
  statements: Statement[];
}

function insertSite(organization: string): Inserts {
  const site = createId('site');
  const secrets = { stamp: site, auth_key: site, created_by: '', created_at: 1 };
  const statements = [insert('sites', { id: site, organization, title: 'A site', basename: site, ...secrets })];
  const ids: Record<string, string> = { siteId: site };
  for (const [table, { kind, parameter, values }] of Object.entries(rowsOfSite)) {
    const id = createId(kind);
    statements.push(insert(table, { id, site, position: 'a0', created_at: 1, ...values }));
    ids[parameter] = id;
  }
  const shareLinkId = createId('shareLink');
  const link = { id: shareLinkId, site, name: 'A link', key_hash: shareLinkId, created_at: 1 };
  return { ids: { ...ids, shareLinkId }, statements: [...statements, insert('site_share_links', link)] };
}

function insertRows(organization: string): Inserts {
  const ids: Record<string, string> = {};
  const statements = Object.entries(rows).map(([table, { kind, values }]) => {
    const id = createId(kind);
    ids[kind === 'translation' ? 'translationSettingsId' : `${kind}Id`] = id;
    return insert(table, { id, organization, ...values });
  });
  const language = { settings: ids.translationSettingsId ?? '', language: 'en', instructions: '{"markdown":""}' };
  return { ids, statements: [...statements, insert('translation_languages', language)] };
}

/** Creates an object of each kind in an organization, and a member that a test may delete. */
export async function makeObjects(
  server: Server,
  { id: organization, token }: TestOrganization,
): Promise<Record<string, string>> {
  const member = await server.makeUser({ organization, role: 'read' });
  const { user: account } = await server.makeUser();
  const [site, others] = [insertSite(organization), insertRows(organization)];
  const name = createId('account');
  const more = { title: 'A tool', script: name, signing_secret: '', created_by: '', created_at: 1, updated_at: 1 };
  await writeDatabaseAtOnce(server, [
    ...site.statements,
    ...others.statements,
    insert('integrations', { name, organization, account, ...more }),
    insert('team_members', { team: others.ids.teamId ?? '', user: member.user, organization }),
  ]);
  const installing = { token, body: { organization } };
  const installation = await json<{ id: string }>(`/v1/integrations/${name}/installations`, installing, server);
  return {
    ...site.ids,
    ...others.ids,
    ...{ userId: member.user, translationLanguage: 'en' },
    ...{ integrationName: name, installationId: installation.id },
  };
}

export async function createRandomWorld(server: Server): Promise<World> {
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
