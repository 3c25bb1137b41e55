import type { PublishedSite, SiteSection } from '@octavo/schema';
import { expect, test } from 'vitest';
import { getClient, getCost, insertPage } from '../../content/space-client.ts';
import { signVisitorToken } from '../../content/visitors/visitor-client.ts';
import { platform } from '../../support/platform.ts';
import { makeSite } from '../sites/site-client.ts';

const server = platform();
const condition = 'visitor.claims.staff';

/** Creates a site where one page and one section require a staff claim. Another space is not part of the site. */
async function createLinkingSite() {
  const organization = await server.makeOrganization();
  const [open, shut, other] = await Promise.all([1, 2, 3].map(() => server.makeSpace({ organization })));
  if (open === undefined || shut === undefined || other === undefined) throw new Error('There are three spaces.');
  const site = await makeSite(organization, { title: 'Docs' });
  await site.callJson<SiteSection>('/sections', { body: { spaceId: open.id, title: 'Open' } });
  const section = await site.callJson<SiteSection>('/sections', { body: { spaceId: shut.id, title: 'Shut' } });
  await site.patch(`/sections/${section.id}`, { condition });
  await site.publish();
  const writer = getClient(server, open);
  const [page = '', hidden = ''] = await writer.change([insertPage('Page'), { ...insertPage('Hidden'), condition }]);
  const read = async (claims?: object) => {
    const token =
      claims === undefined ? organization.token : signVisitorToken(organization.id, site.id, { claims: { ...claims } });
    const response = await server.request(`/v1/orgs/${organization.id}/sites/${site.id}/published`, { token });
    expect(response.status).toBe(200);
    return { answer: response, body: (await response.json()) as PublishedSite };
  };
  return { organization, site, open, shut, other, page, hidden, read };
}

const createLink = (title: string, to: object) => ({ title, to });

test('links of a customization point only to targets that the visitor can see', async () => {
  const { site, open, shut, other, page, hidden, read } = await createLinkingSite();
  const toPage = { kind: 'page', page, space: open.id };
  const secrets = [
    { kind: 'page', page: hidden, space: open.id },
    { kind: 'page', page: hidden },
    { kind: 'anchor', anchor: 'a', page: hidden, space: open.id },
    { kind: 'space', space: shut.id },
    { kind: 'file', file: 'file_1', space: shut.id },
  ];
  const nowhere = [
    { kind: 'space', space: other.id },
    { kind: 'collection', collection: 'col_1' },
    { kind: 'page', page: 'page_none', space: open.id },
  ];
  const targets = [
    toPage,
    { kind: 'page', page },
    { kind: 'space', space: open.id },
    { kind: 'url', url: 'https://a.example' },
  ];
  const links = [...targets, ...secrets, ...nowhere].map((to, index) => createLink(`L${index}`, to));
  const settings = {
    announcement: { enabled: true, message: 'Hear', style: 'info', link: createLink('It', secrets[0] ?? {}) },
    header: {
      primaryLink: secrets[0],
      links: [
        { ...createLink('Both', toPage), links },
        { ...createLink('Emptied', secrets[3] ?? {}), links: [createLink('x', secrets[0] ?? {})] },
        { title: 'Label', to: null, links: [] },
        { ...createLink('Parent', secrets[0] ?? {}), links: [createLink('Child', toPage)] },
        { ...createLink('Staff', toPage), links: [], condition },
      ],
    },
    footer: {
      groups: [
        { title: 'All', links },
        { title: 'Hidden', links: [createLink('x', secrets[0] ?? {})] },
      ],
    },
  };
  expect((await site.send('/customization', { method: 'PUT', body: settings })).status).toBe(200);

  const { body: guest } = await read({});

  const look = guest.customizations.site;
  const rest = targets.map((to, index) => createLink(`L${index}`, to));
  expect(look.announcement).toEqual({ enabled: true, message: 'Hear', style: 'info' });
  expect(look.header.primaryLink).toBeUndefined();
  expect(look.header.links).toEqual([
    { ...createLink('Both', toPage), links: rest },
    { title: 'Label', to: null, links: [] },
    { title: 'Parent', to: null, links: [createLink('Child', toPage)] },
  ]);
  expect(look.footer.groups).toEqual([{ title: 'All', links: rest }]);
  for (const secret of [hidden, shut.id, other.id]) expect(JSON.stringify(guest)).not.toContain(secret);

  const { body: staff } = await read({ staff: true });
  expect(staff.customizations.site.footer.groups[0]?.links.map(({ to }) => to)).toEqual([...targets, ...secrets]);
  expect(staff.customizations.site.header.primaryLink).toEqual(secrets[0]);
  expect(staff.customizations.site.header.links.map(({ title }) => title)).toEqual([
    'Both',
    'Emptied',
    'Label',
    'Parent',
    'Staff',
  ]);
  const { body: member } = await read();
  expect(member.customizations.site.footer.groups).toEqual(settings.footer.groups);
});

test('resolving links costs one round trip, and rows by the number of links', async () => {
  const { site, open, page, read } = await createLinkingSite();
  const countRoundTrips = async () => getCost((await read({})).answer).trips;
  const before = await countRoundTrips();

  await site.send('/customization', {
    method: 'PUT',
    body: { footer: { groups: [{ title: 'A', links: [createLink('P', { kind: 'page', page, space: open.id })] }] } },
  });

  expect((await countRoundTrips()) - before).toBe(1);
});
