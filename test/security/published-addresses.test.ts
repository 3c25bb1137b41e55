import { beforeAll, expect, test } from 'vitest';
import { resolve } from '../publishing/resolution/site-world.ts';
import type { SiteClient } from '../publishing/sites/site-client.ts';
import { newSite } from '../publishing/sites/site-client.ts';
import { platform } from '../support/platform.ts';

interface Settings {
  header: object;
  footer: object;
  styling: object;
}

let site: SiteClient;
let settings: Settings;
let made: { link: string; redirect: string; siteSpace: string };
const external = (url: string) => ({ kind: 'external', url });

beforeAll(async () => {
  site = await newSite();
  const { siteSpaces } = await site.addSection('Guides');
  settings = await site.ok<Settings>('/customization');
  const post = async (path: string, body: object) => (await site.ok<{ id: string }>(path, { body })).id;
  made = {
    link: await post('/external-links', { title: 'Link', url: 'https://a.test/' }),
    redirect: await post('/redirects', { source: '/first', destination: external('https://a.test/') }),
    siteSpace: siteSpaces[0]?.id ?? '',
  };
});

const look = (more: object) => site.send('/customization', { method: 'PUT', body: { ...settings, ...more } });
const ofSiteSpace = (body: object) =>
  site.send(`/site-spaces/${made.siteSpace}/customization`, { method: 'PATCH', body });
const spec = (path: string, method: string, body: object) =>
  platform().request(`/v1/orgs/${site.organization.id}/openapi${path}`, {
    ...{ token: site.organization.token, method, body },
  });

/** Operations that store a web URL in a site. */
const stored: Record<string, (url: string) => Promise<Response>> = {
  'a redirect': (url) => site.send('/redirects', { body: { source: '/other', destination: external(url) } }),
  'a changed redirect': (url) =>
    site.send(`/redirects/${made.redirect}`, { method: 'PATCH', body: { destination: external(url) } }),
  'redirects at once': (url) =>
    site.send('/redirects', { method: 'PUT', body: { redirects: [{ source: '/many', destination: external(url) }] } }),
  'an external link': (url) => site.send('/external-links', { body: { title: 'Link', url } }),
  'a changed external link': (url) => site.send(`/external-links/${made.link}`, { method: 'PATCH', body: { url } }),
  'where visitors are vouched for': (url) =>
    site.send('/publishing/auth', { method: 'PATCH', body: { fallbackURL: url } }),
  'a logo': (url) => look({ header: { ...settings.header, logo: { light: url, dark: url } } }),
  'a logo of the footer': (url) => look({ footer: { ...settings.footer, logo: { light: url, dark: url } } }),
  'an icon': (url) => look({ favicon: { icon: { light: url, dark: url } } }),
  'a policy': (url) => look({ privacyPolicy: { url } }),
  'a picture for others': (url) => look({ socialPreview: { url } }),
  'a font': (url) => {
    const fontFaces = [{ weight: 400, sources: [{ url }] }];
    return look({ styling: { ...settings.styling, font: { id: 'f', custom: true, fontFamily: 'F', fontFaces } } });
  },
  'a policy of a site space': (url) => ofSiteSpace({ privacyPolicy: { url } }),
  'a specification': (url) => spec('', 'POST', { slug: 'made', source: { url } }),
  'a specification that is set': (url) => spec('/set', 'PUT', { source: { url } }),
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
      const answer = await store(url);
      expect([url, answer.status]).toEqual([url, 400]);
      const { error } = (await answer.json()) as { error: { issues: { path: string }[] } };
      expect(error.issues[0]?.path).toMatch(/^body\./);
    }
    const { status } = await store('https://a.test/a?b=c#d');
    expect(status === 200 || status === 201).toBe(true);
  },
);

const link = (url: string) => ({ title: 'x', to: { kind: 'url', url } });
const header = (links: object[]) => look({ header: { ...settings.header, links } });

/** Operations that store a link, which may also be a path of the site or a mail address. */
const linked: Record<string, (url: string) => Promise<Response>> = {
  'a link of the header': (url) => header([{ ...link(url), links: [] }]),
  'a link below': (url) => header([{ ...link('/a'), links: [link(url)] }]),
  'the link of the logo': (url) => look({ header: { ...settings.header, primaryLink: link(url).to } }),
  'a link of the footer': (url) =>
    look({ footer: { ...settings.footer, groups: [{ title: 'x', links: [link(url)] }] } }),
  'the announcement': (url) =>
    look({ announcement: { enabled: true, message: 'News', style: 'info', link: link(url) } }),
};

test.each(Object.entries(linked))('%s rejects URLs that run code', async (_, store) => {
  for (const url of [...running, ' javascript:alert(1)', 'JaVaScRiPt:x', 'java\tscript:x', 'https://a.test/\r\nX: y'])
    expect([url, (await store(url)).status]).toEqual([url, 400]);
  for (const url of ['/a', 'https://a.test/', 'mailto:a@b.test'])
    expect([url, (await store(url)).status]).toEqual([url, 200]);
});

test('encodes the target of an external redirect for the Location header', async () => {
  const destination = external('https://bücher.test/größe?a=ü');
  await site.ok('/redirects', { body: { source: '/books', destination } });
  const { urls } = await site.publish();
  const { redirect } = await resolve(`${urls.published}books`);

  expect(new Headers({ location: redirect ?? '' }).get('location')).toBe(
    'https://xn--bcher-kva.test/gr%C3%B6%C3%9Fe?a=%C3%BC',
  );
});
