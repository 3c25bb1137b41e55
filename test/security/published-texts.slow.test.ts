import { beforeAll, describe, expect, test } from 'vitest';
import { insertComputed } from '../content/computed/reference-space.ts';
import type { OpenSite } from '../publishing/audiences/open-site.ts';
import { openSite } from '../publishing/audiences/open-site.ts';
import { createPetstoreSpec, getSpecs, getText } from '../publishing/openapi/spec-client.ts';
import { edit, json } from '../support/content.ts';
import { platform } from '../support/platform.ts';

const hidden = [
  'java&#x09;script:alert(1)',
  '&#1;javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'javascript&colon;alert(1)',
];
const running = [
  'javascript:alert(1)',
  'vbscript:x',
  'data:text/html,x',
  'data:image/svg+xml,x',
  'file:///etc/passwd',
  ...hidden,
];
const harmless = ['https://a.test/', 'mailto:a@b.test', 'tel:+1', 'vscode://file', 'data:image/png;base64,AAAA'];

/** Returns a text with the URL in every position where one is allowed. */
const createTargets = (
  address: string,
): string => `[words](${address}) <${address}> ![y](${address}) [z][r] [m](${address} "mention") <a href="${address}">a</a>
<a href="${address}" class="button primary">b</a>

[r]: ${address}

<figure><img src="${address}" alt=""><figcaption><p>[c](${address})</p></figcaption></figure>

{% embed url="${address}" %}

{% file src="${address}" %}

{% content-ref url="${address}" %}
[x](${address})
{% endcontent-ref %}

<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>a</td><td><a href="${address}">x</a></td></tr></tbody></table>
`;

const html = '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\nWords <b onclick="alert(1)">bold</b>\n';

let site: OpenSite;
let space: { id: string; token: string };
beforeAll(async () => {
  site = await openSite('public');
  space = { id: site.ids.spaceId ?? '', token: site.organization.token };
});

interface Node {
  type?: string;
  data?: Record<string, unknown>;
}

/** Returns all nodes of a document at any depth. */
function findNodes(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(findNodes);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(findNodes)];
}

const findAddresses = (value: unknown): string[] =>
  findNodes(value).flatMap((node) =>
    Object.values(node).filter((each) => typeof each === 'string' && each.includes(':')),
  );

/** Returns the scheme of a URL as browsers parse it: they ignore control characters and white space. */
const getScheme = (address: string): string =>
  /^[a-z]+(?=:)/i.exec(address.replace(/[\p{Cc}\s]/gu, ''))?.[0].toLowerCase() ?? '';

/**
 * Returns the document of a page as renderers read it for visitors and for members, and as the API returns it to
 * visitors.
 */
async function getDocuments(page: string): Promise<unknown[]> {
  const { id } = await json<{ id: string }>(`/v1/spaces/${space.id}/content`, space);
  const at = `/v1/spaces/${space.id}/revisions/${id}/page/${page}/document?dereferenced=reusable-contents`;
  const path = `/v1/spaces/${space.id}/content/page/${page}?format=document`;
  return Promise.all([
    json(at, { token: site.token }),
    json(at, space),
    json<{ document: unknown }>(path, { token: site.token }).then(({ document }) => document),
  ]);
}

const getPage = async (markdown: string): Promise<string> => {
  const [page = ''] = await edit(space, [{ operation: 'insert_page', title: 'Hostile', document: { markdown } }]);
  return page;
};

describe.each([false, true])('in a space with conditions: %s', (hasConditions) => {
  beforeAll(async () => {
    const condition = { operation: 'update_page', page: site.ids.pageId, condition: 'visitor.claims.unsigned.staff' };
    if (hasConditions) await edit(space, [condition]);
  });

  test.each(running)('no document links to %s', async (address) => {
    for (const document of await getDocuments(await getPage(createTargets(address)))) {
      const schemes = findAddresses(document).map(getScheme);
      expect(schemes.filter((scheme) => /^(?:javascript|vbscript|file|data)$/.test(scheme))).toEqual([]);
      expect(JSON.stringify(document)).toMatch(/"text":"words\b/);
    }
  });

  test.each(harmless)('a document can link to %s', async (address) => {
    for (const document of await getDocuments(await getPage(createTargets(address))))
      expect(findAddresses(document).filter((each) => each === address).length).toBeGreaterThan(5);
  });

  test('renderers receive HTML as text', async () => {
    const [published, ofMember] = await getDocuments(await getPage(html));
    for (const document of [published, ofMember]) {
      expect(findNodes(document).filter(({ type }) => type === 'html')).toEqual([]);
      expect(JSON.stringify(document)).not.toMatch(/<|onclick/);
      expect(JSON.stringify(document)).toContain('bold');
    }
  });
});

const hostile = `"><script>alert('x')</script>{{constructor}}`;

test('titles and texts of a site are returned as JSON data, and never in a header', async () => {
  const { token } = site.organization;
  const send = (path: string, method: string, body: object) => json(`${site.path}${path}`, { token, method, body });
  const link = { title: hostile, to: { kind: 'url', url: 'https://a.test/' } };
  const settings = await json<{ header: object; footer: object }>(`${site.path}/customization`, { token });
  const { id } = await platform().makeSpace({ organization: site.organization, title: hostile });
  await send('/sections', 'POST', { spaceId: id, title: hostile });
  await send('/section-groups', 'POST', { title: hostile });
  await send('/external-links', 'POST', { title: hostile, url: 'https://a.test/', description: hostile });
  await send('', 'PATCH', { title: hostile });
  await send('/customization', 'PUT', {
    ...settings,
    ...{ title: hostile, announcement: { enabled: true, message: hostile, style: 'info' } },
    header: { ...settings.header, links: [{ ...link, links: [] }] },
    footer: { ...settings.footer, copyright: hostile, groups: [{ title: hostile, links: [link] }] },
  });
  const reads = ['', '/published', '/structure', '/sections', '/site-spaces'].map((path) => `${site.path}${path}`);

  for (const path of [...reads, `/v1/spaces/${id}`]) {
    const response = await platform().request(path, { token: path.includes('/spaces/') ? token : site.token });
    const text = await response.text();
    expect([path, response.status, text.includes(JSON.stringify(hostile))]).toEqual([path, 200, true]);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-gitbook-cache-tag') ?? '').toMatch(/^[\w:,]*$/);
    expect([...response.headers.values()].filter((value) => /<script|alert|constructor/.test(value))).toEqual([]);
  }
});

test('texts of a specification are data, in its pages and in public responses', async () => {
  const [title, description] = [`${hostile}\r\nX-Injected: 1`, `${html}\n[x](javascript:alert(1))`];
  const tags = [{ name: 'Pets', description, 'x-page-title': hostile, 'x-page-icon': hostile }];
  const responses = { 200: { description } };
  const paths = { '/pets': { get: { tags: ['Pets'], summary: hostile, description, responses } } };
  const specs = getSpecs(platform(), site.organization);
  await specs.publish(
    'hostile',
    getText(createPetstoreSpec({ info: { title, version: '1', description }, tags, paths })),
  );
  await specs.callJson('/hostile', { method: 'PATCH', body: { visibility: 'public' } });
  const [above = ''] = await edit(space, [{ operation: 'insert_page', title: 'Above', document: { markdown: '' } }]);
  await edit(space, [insertComputed('hostile', { into: above })]);
  const { pages } = await json<{ pages: { id: string; title: string }[] }>(
    `/v1/spaces/${space.id}/content/page/${above}`,
    { token: site.token },
  );
  const [published, ofMember] = await getDocuments(pages[0]?.id ?? '');
  const response = await fetch((await specs.get('hostile')).urls.published ?? '');

  expect(pages.map((page) => page.title)).toContain(hostile);
  for (const document of [published, ofMember])
    expect(JSON.stringify(document)).not.toMatch(/javascript:|onerror|<img/);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect([...response.headers.values()].filter((value) => /<script|alert|Injected/.test(value))).toEqual([]);
});
