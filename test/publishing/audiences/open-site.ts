import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ShareLinkId, VisitorToken } from '@octavo/schema';
import { insertComputed } from '../../content/computed/reference-space.ts';
import { signVisitorToken } from '../../content/visitors/visitor-client.ts';
import { edit, json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText } from '../openapi/spec-client.ts';
import type { Resolved } from '../resolution/site-world.ts';
import { createPublishedSite, resolve } from '../resolution/site-world.ts';

export const audiences = ['public', 'unlisted', 'share-link', 'visitor-auth'] as const;
export type Audience = (typeof audiences)[number];

/** Creates a visitor token like the one that URL resolution returns, with some fields overridden. */
export const createVisitorToken = (
  { organization, site }: Pick<OpenSite, 'organization' | 'site'>,
  more: Partial<VisitorToken>,
) => signVisitorToken(organization.id, site, more);

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Creates a visitor authentication JWT, signed with the site's key and valid for an hour. */
export function signVisitorJwt(
  key: string,
  claims: object = {},
  header: object = { alg: 'HS256', typ: 'JWT' },
): string {
  const now = Math.floor(Date.now() / 1000);
  const signed = [header, { iat: now, exp: now + 3600, ...claims }].map(encode).join('.');
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** Derives a site's visitor authentication key from the stored nonce and the platform secret. */
export function getAuthKey(site: string): string {
  const [row] = query<{ auth_key: string }>('SELECT auth_key FROM sites WHERE id = ?', site);
  const secret = readFileSync(path.join(platform().dataDir, 'secret'), 'utf8').trim();
  return createHmac('sha256', secret).update(`octavo\nvisitor auth\n${row?.auth_key}`).digest('base64url');
}

export interface OpenSite {
  audience: Audience;
  organization: TestOrganization;
  site: string;
  /** The API path of the site. */
  path: string;
  /** The address that lets a visitor in, with the share key if the site needs one. */
  address: string;
  /** The published URL, without share key and trailing slash. */
  base: string;
  visitor: { jwtToken?: string };
  shareLink?: { id: ShareLinkId; key: string };
  /** The resolution of `address` for an authorized visitor. */
  resolved: Resolved;
  token: string;
  /** Existing ids, by path parameter. */
  ids: Record<string, string>;
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * Creates a space with every kind of readable content: a page with a file and reusable content, an OpenAPI
 * specification and a change request.
 */
export async function makeContent(organization: TestOrganization): Promise<Record<string, string>> {
  const space = await platform().makeSpace({ organization, title: 'Guide' });
  const { token } = organization;
  const change = (changes: object[]) =>
    json<{ insertedFiles?: { id: string }[]; changes: { reusableContent?: string }[] }>(
      `/v1/spaces/${space.id}/content?compat=false`,
      { token, body: { changes } },
    );
  const files = [{ name: 'pixel.png', contentType: 'image/png', base64: pixel, ref: 'pixel.png' }];
  const shared = { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'Shared words.\n' } };
  const result = await change([{ operation: 'insert_files', files }, shared]);
  const fileId = result.insertedFiles?.[0]?.id ?? '';
  const reusableContentId = result.changes.find((each) => each.reusableContent)?.reusableContent ?? '';
  const markdown = `Some words.\n\n![A pixel](/files/${fileId})\n\n{% include "/reusable-contents/${reusableContentId}" %}\n`;
  const [pageId = ''] = await edit(space, [
    { operation: 'insert_page', title: 'Start', slug: 'begin', document: { markdown } },
  ]);
  await edit(space, [{ operation: 'update_page', page: pageId, slug: 'start' }]);
  const specSlug = `api-${space.id.slice(4).toLowerCase()}`;
  await getSpecs(platform(), organization).publish(specSlug, getText(createPetstoreSpec()));
  await edit(space, [insertComputed(specSlug)]);
  const body = { subject: 'A change' };
  const { id: changeRequestId } = await json<{ id: string }>(`/v1/spaces/${space.id}/change-requests`, { token, body });
  const { id: revisionId } = await json<{ id: string }>(`/v1/spaces/${space.id}/content`, { token });
  return {
    spaceId: space.id,
    pageId,
    pagePath: 'start',
    oldPath: '/begin',
    fileId,
    reusableContentId,
    changeRequestId,
    revisionId,
    specSlug,
  };
}

/** Creates a published site with one space for an audience, and an authorized visitor. */
export async function openSite(audience: Audience, within?: TestOrganization): Promise<OpenSite> {
  const organization = within ?? (await platform().makeOrganization());
  const content = await makeContent(organization);
  const siteWorld = await createPublishedSite({ organization, visibility: audience, spaces: [content.spaceId ?? ''] });
  const { base, path: api, site } = siteWorld;
  const link = audience === 'share-link' ? await makeLink(api, organization.token) : undefined;
  const address = link === undefined ? base : `${base}/${link.key}`;
  const visitor = audience === 'visitor-auth' ? { jwtToken: signVisitorJwt(getAuthKey(site.id)) } : {};
  const resolved = await resolve(`${address}/start`, { visitor });
  const ids = { ...content, organizationId: organization.id, siteId: site.id, siteSpaceId: resolved.siteSpace };
  return {
    ...{ audience, organization, site: site.id, path: api, address, base, visitor, resolved, ids },
    ...(link === undefined ? {} : { shareLink: link }),
    token: resolved.apiToken,
  };
}

async function makeLink(api: string, token: string) {
  const body = { name: 'Partners' };
  const { id, urls } = await json<{ id: ShareLinkId; urls: { published: string } }>(`${api}/share-links`, {
    token,
    body,
  });
  return { id, key: new URL(urls.published).pathname.split('/').findLast((part) => part !== '') ?? '' };
}
