import { beforeAll, expect, test } from 'vitest';
import { resolve } from '../publishing/resolution/site-world.ts';
import type { SiteClient } from '../publishing/sites/site-client.ts';
import { createTestSite } from '../publishing/sites/site-client.ts';
import { platform } from '../support/platform.ts';

interface Settings {
  header: object;
  footer: object;
  styling: object;
}

let site: SiteClient;
let settings: Settings;
let addresses: { link: string; redirect: string; siteSpace: string };
const createExternalLink = (url: string) => ({ kind: 'external', url });

beforeAll(async () => {
  site = await createTestSite();
  const { siteSpaces } = await site.addSection('Guides');
  settings = await site.callJson<Settings>('/customization');
  const post = async (path: string, body: object) => (await site.callJson<{ id: string }>(path, { body })).id;
  addresses = {
    link: await post('/external-links', { title: 'Link', url: 'https://a.test/' }),
    redirect: await post('/redirects', { source: '/first', destination: createExternalLink('https://a.test/') }),
    siteSpace: siteSpaces[0]?.id ?? '',
  };
});

const changeCustomization = (more: object) =>
  site.send('/customization', { method: 'PUT', body: { ...settings, ...more } });
const changeSiteSpaceCustomization = (body: object) =>
  site.send(`/site-spaces/${addresses.siteSpace}/customization`, { method: 'PATCH', body });
const requestSpec = (path: string, method: string, body: object) =>
  platform().request(`/v1/orgs/${site.organization.id}/openapi${path}`, {
    ...{ token: site.organization.token, method, body },
  });

/** Operations that store a web URL in a site. */
const stored: Record<string, (url: string) => Promise<Response>> = {
  'a redirect': (url) => site.send('/redirects', { body: { source: '/other', destination: createExternalLink(url) } }),
  'a changed redirect': (url) =>
    site.send(`/redirects/${addresses.redirect}`, { method: 'PATCH', body: { destination: createExternalLink(url) } }),
  'several redirects': (url) =>
    site.send('/redirects', {
      method: 'PUT',
      body: { redirects: [{ source: '/many', destination: createExternalLink(url) }] },
    }),
  'an external link': (url) => site.send('/external-links', { body: { title: 'Link', url } }),
  'a changed external link': (url) =>
    site.send(`/external-links/${addresses.link}`, { method: 'PATCH', body: { url } }),
  'the sign-in URL of visitors': (url) =>
    site.send('/publishing/auth', { method: 'PATCH', body: { fallbackURL: url } }),
  'a logo': (url) => changeCustomization({ header: { ...settings.header, logo: { light: url, dark: url } } }),
  'a logo of the footer': (url) =>
    changeCustomization({ footer: { ...settings.footer, logo: { light: url, dark: url } } }),
  'an icon': (url) => changeCustomization({ favicon: { icon: { light: url, dark: url } } }),
  'a policy': (url) => changeCustomization({ privacyPolicy: { url } }),
  'an image for link previews': (url) => changeCustomization({ socialPreview: { url } }),
  'a font': (url) => {
    const fontFaces = [{ weight: 400, sources: [{ url }] }];
    return changeCustomization({
      styling: { ...settings.styling, font: { id: 'f', custom: true, fontFamily: 'F', fontFaces } },
    });
  },
  'a policy of a site space': (url) => changeSiteSpaceCustomization({ privacyPolicy: { url } }),
  'a specification': (url) => requestSpec('', 'POST', { slug: 'made', source: { url } }),
  'a changed specification': (url) => requestSpec('/set', 'PUT', { source: { url } }),
};

const running = [
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
];
const broken = [
  'https://a.test/"><script>',
  "https://a.test/'`",
  'https://a.test/\u0000',
  'https://a.test/\u2028b',
  'https:\\\\a.test',
];
const none = ['//a.test', '/a', 'a', '', 'https:', 'file:///etc/passwd', 'mailto:a@b.test'];

test.each(Object.entries(stored))(
  '%s accepts only web URLs without characters that need escaping',
  async (_, store) => {
    for (const url of [...running, ...broken, ...none]) {
      const response = await store(url);
      expect([url, response.status]).toEqual([url, 400]);
      const { error } = (await response.json()) as { error: { issues: { path: string }[] } };
      expect(error.issues[0]?.path).toMatch(/^body\./);
    }
    const { status } = await store('https://a.test/a?b=c#d');
    expect(status === 200 || status === 201).toBe(true);
  },
);

const createLink = (url: string) => ({ title: 'x', to: { kind: 'url', url } });
const setHeaderLinks = (links: object[]) => changeCustomization({ header: { ...settings.header, links } });

/** Operations that store a link, which may also be a path of the site or a mail address. */
const linked: Record<string, (url: string) => Promise<Response>> = {
  'a link of the header': (url) => setHeaderLinks([{ ...createLink(url), links: [] }]),
  'a nested link': (url) => setHeaderLinks([{ ...createLink('/a'), links: [createLink(url)] }]),
  'the link of the logo': (url) =>
    changeCustomization({ header: { ...settings.header, primaryLink: createLink(url).to } }),
  'a link of the footer': (url) =>
    changeCustomization({ footer: { ...settings.footer, groups: [{ title: 'x', links: [createLink(url)] }] } }),
  'the announcement': (url) =>
    changeCustomization({ announcement: { enabled: true, message: 'News', style: 'info', link: createLink(url) } }),
};

test.each(Object.entries(linked))('%s rejects URLs that run code', async (_, store) => {
  for (const url of [...running, ' javascript:alert(1)', 'JaVaScRiPt:x', 'java\tscript:x', 'https://a.test/\r\nX: y'])
    expect([url, (await store(url)).status]).toEqual([url, 400]);
  for (const url of ['/a', 'https://a.test/', 'mailto:a@b.test'])
    expect([url, (await store(url)).status]).toEqual([url, 200]);
});

test('encodes the target of an external redirect for the Location header', async () => {
  const destination = createExternalLink('https://bücher.test/größe?a=ü');
  await site.callJson('/redirects', { body: { source: '/books', destination } });
  const { urls } = await site.publish();
  const { redirect } = await resolve(`${urls.published}books`);

  expect(new Headers({ location: redirect ?? '' }).get('location')).toBe(
    'https://xn--bcher-kva.test/gr%C3%B6%C3%9Fe?a=%C3%BC',
  );
});
