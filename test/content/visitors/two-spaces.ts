import type { SiteSection, VisitorToken } from '@octavo/schema';
import { makeSite } from '../../publishing/sites/site-client.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';
import { signVisitorToken } from './visitor-client.ts';

const server = platform({ countsRows: true });

/** Publishes a site with two sections. The space of the first refers to content of the space of the second. */
export async function publishTwoSpaces(more: object = {}) {
  const organization = await server.makeOrganization();
  const [from, to] = [await server.makeSpace({ organization }), await server.makeSpace({ organization })];
  const site = await makeSite(organization, { title: 'Docs', ...more });
  const first = await site.callJson<SiteSection>('/sections', { body: { spaceId: from.id, title: 'Guides' } });
  const second = await site.callJson<SiteSection>('/sections', { body: { spaceId: to.id, title: 'Reference' } });
  const base = (await site.publish()).urls.published?.replace(/\/$/, '') ?? '';
  const [writer, target] = [getClient(server, from), getClient(server, to)];
  const [parent = ''] = await target.change([insertPage('Calls')]);
  const [page = ''] = await target.change([{ ...insertPage('Create'), into: parent }]);
  const visit = (claims = {}, more: Partial<VisitorToken> = {}) => {
    const token = signVisitorToken(organization.id, site.id, { claims, ...more });
    return { token, ...getClient(server, { id: from.id, token }) };
  };
  const write = async (markdown: string) =>
    (await writer.change([{ operation: 'insert_page', title: 'Links', document: { markdown } }]))[0] ?? '';
  return { organization, site, base, from, to, first, second, writer, target, parent, page, visit, write };
}

export type World = Awaited<ReturnType<typeof publishTwoSpaces>>;
export type Reader = World['writer'];
