import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createDefaultCustomization, defaultPageLayout, SiteCustomization } from '@octavo/schema';
import { expect, test } from 'vitest';
import type { PageNode } from './document.ts';
import { renderPage } from './page.tsx';
import { renderDocument } from './render-document.tsx';
import { getSiteTitle, type PageView } from './view.ts';

type Settings = Record<string, unknown>;
interface Schema {
  shape?: Record<string, Schema>;
  options?: unknown[];
  type?: string;
}

const color = { light: '#123456', dark: '#abcdef' };
const image = { light: 'https://images.example.test/light.png', dark: 'https://images.example.test/dark.png' };
const link = { title: 'Elsewhere', to: { kind: 'url', url: 'https://example.test/' } };
const font = {
  id: 'own',
  custom: true,
  fontFamily: 'Own',
  fontFaces: [{ weight: 400, sources: [{ url: image.light }] }],
};
const themes = { light: 'github-light', dark: 'github-dark' };

/** Sample values for fields whose values cannot be derived from the schema. */
const samples: Settings = {
  title: 'Another name',
  localizedTitle: { en: 'A localized name' },
  favicon: { icon: image },
  announcement: { enabled: true, message: 'Told to all', style: 'info' },
  socialAccounts: [{ platform: 'github', handle: 'octavo', display: { footer: true, header: false } }],
  updatedAt: '2030-01-01T00:00:00.000Z',
  'header.logo': image,
  'header.primaryLink': link.to,
  'header.links': [{ ...link, links: [] }],
  'footer.logo': image,
  'footer.groups': [{ title: 'More', links: [link] }],
  'footer.copyright': '© us',
  'ai.greeting': 'Hello',
  'ai.localizedGreeting': { en: 'Hello' },
  'ai.suggestions': ['What is this?'],
  'pageActions.items': ['mcp'],
  'privacyPolicy.url': 'https://example.test/privacy',
  'socialPreview.url': image.light,
  'git.editURL': 'https://git.test/other/{path}',
  'styling.tint': { color },
  'styling.font': font,
  'styling.headingFont': font,
  'styling.monospaceFont': font,
  'styling.codeTheme.default': themes,
  'styling.codeTheme.openapi': themes,
};

function getFields(shape: Record<string, Schema>, place = ''): [field: string, schema: Schema][] {
  return Object.entries(shape).flatMap(([name, schema]): [string, Schema][] => {
    const field = `${place}${name}`;
    const isColor = schema.shape !== undefined && 'light' in schema.shape;
    return schema.shape === undefined || isColor || field in samples
      ? [[field, schema]]
      : getFields(schema.shape, `${field}.`);
  });
}

const fields = getFields(SiteCustomization.shape as unknown as Record<string, Schema>);

const getFieldValue = (settings: Settings, field: string): unknown =>
  field.split('.').reduce<unknown>((value, name) => (value as Settings | undefined)?.[name], settings);

/** The default customization, with a header that has custom colors, and with edit links. */
const createCustomization = (): SiteCustomization => {
  const { header, ...all } = createDefaultCustomization();
  return { ...all, header: { ...header, preset: 'custom' }, git: { showEditLink: true } };
};

function createChangedValue(field: string, { options }: Schema): unknown {
  if (field in samples) return samples[field];
  const now = getFieldValue(createCustomization() as unknown as Settings, field);
  if (typeof now === 'boolean') return !now;
  return options?.find((each) => each !== now) ?? color;
}

function setField(field: string, value: unknown): SiteCustomization {
  const settings = structuredClone(createCustomization()) as unknown as Settings;
  const names = field.split('.');
  const last = names.pop() ?? '';
  const holder = names.length === 0 ? settings : (getFieldValue(settings, names.join('.')) as Settings);
  holder[last] = value;
  return settings as unknown as SiteCustomization;
}

const createText = (words: string): PageNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: words, marks: [] }],
});
const outside: PageNode = {
  ...{ object: 'inline', type: 'link', data: { ref: { kind: 'url', url: 'https://example.test/' } } },
  nodes: [createText('outside')],
};

/** A page view with every element that a customization can affect. */
function getView(customization: SiteCustomization): PageView {
  const site = {
    url: 'https://docs.example.test/',
    language: 'en',
    direction: 'ltr' as const,
    customization,
  };
  const nodes: PageNode[] = [{ object: 'block', type: 'paragraph', nodes: [outside] }];
  const neighbour = { title: 'Next', to: 'next' };
  return {
    site: {
      ...site,
      title: getSiteTitle(customization, 'Docs'),
      isIndexed: true,
      isForAgents: true,
      isRatable: customization.feedback.enabled,
    },
    assets: {
      style: 'style.css',
      script: 'site.js',
      icon: (name, style) => `${style}/${name}.svg`,
      file: (name) => name,
    },
    ...{
      relativeRoot: './',
      address: 'page',
      base: '',
      canonicalUrl: 'https://docs.example.test/page',
      alternates: [],
      sections: [],
    },
    specifications: {},
    ...{ variants: [], breadcrumbs: [], navigation: [], next: neighbour },
    page: {
      ...{ id: 'page', title: 'Page', icon: 'book', layout: defaultPageLayout, isIndexed: true },
      source: { path: 'page.md', editUrl: 'https://git.test/edit/{path}' },
      document: { object: 'document', data: {}, nodes },
    },
    resolve: (reference) => {
      const { url } = (reference ?? {}) as { url?: string };
      return url === undefined ? undefined : { to: url };
    },
  };
}

const getHtml = async (view: PageView): Promise<string> =>
  renderPage(view, await renderDocument(view, async () => {})).html;
const renderWith = (look: SiteCustomization): Promise<string> => getHtml(getView(look));

const docs = readFileSync(path.resolve(import.meta.dirname, '../../../docs/guides/customize.md'), 'utf8');
const [, ineffectiveSettings = ''] = /## Settings without an effect\n(.*?)(?:\n## |$)/s.exec(docs) ?? [];
const notDrawn = [...ineffectiveSettings.matchAll(/^\|([^|]*)\|/gm)].map(([, cell]) => cell).join();

test('validates the fields of a customization', () => {
  expect(fields.length).toBeGreaterThan(50);
});

/** Icon styles that the free icon set lacks. They are replaced with another style. */
const standIns = ['duotone', 'light', 'thin', 'solid'];
const choices = fields.filter(([field, { options }]) => !notDrawn.includes(`\`${field}\``) && options !== undefined);

test.each(choices)('renders each choice of %s differently', async (field, { options = [] }) => {
  const names = options.filter((option) => typeof option === 'string' && !standIns.slice(1).includes(option));
  const pages = await Promise.all(names.map((option) => renderWith(setField(field, option))));

  expect(new Set(pages).size).toBe(names.length);
});

test.each(['header', 'footer'])('shows a social account in the %s if enabled, by name', async (place) => {
  const renderAccounts = (isShown: boolean) => {
    const display = { header: false, footer: false, [place]: isShown };
    return renderWith(setField('socialAccounts', [{ platform: 'github', handle: '@octavo', display }]));
  };

  expect(await renderAccounts(true)).toContain('href="https://github.com/octavo"');
  expect(await renderAccounts(true)).toContain('GitHub</span>');
  expect(await renderAccounts(false)).not.toContain('github.com');
});

test.each(fields)('%s is rendered, or documented as not rendered', async (field, schema) => {
  const isDrawn =
    (await renderWith(setField(field, createChangedValue(field, schema)))) !==
    (await renderWith(createCustomization()));

  expect(isDrawn).toBe(!notDrawn.includes(`\`${field}\``));
});

const renderWithCover = (layout: Partial<PageView['page']['layout']>, yPos = 0): Promise<string> => {
  const view = getView(createCustomization());
  const cover = { ref: { kind: 'url', url: image.light }, refDark: { kind: 'url', url: image.dark }, yPos } as const;
  return getHtml({ ...view, page: { ...view.page, cover, layout: { ...defaultPageLayout, ...layout } } });
};

test('renders a cover in each size, with an image for light and one for dark mode', async () => {
  const sizes = ['hero', 'full', 'background'] as const;
  const [hero, full, background] = await Promise.all(sizes.map((coverSize) => renderWithCover({ coverSize })));

  for (const html of [hero, full, background]) {
    expect(html).toContain(`in-light" src="${image.light}"`);
    expect(html).toContain(`in-dark" src="${image.dark}"`);
  }
  expect(hero?.indexOf('<main')).toBeLessThan(hero?.indexOf('class="cover') ?? 0);
  expect(full?.indexOf('<main')).toBeGreaterThan(full?.indexOf('class="cover') ?? 0);
  expect(background).not.toBe(full);
  expect(await renderWithCover({ coverMask: 'radial' })).toContain('mask-radial');
  expect(await renderWithCover({ cover: false })).not.toContain('class="cover');
});

test.each([
  [-160, 75],
  [0, undefined],
  [160, 25],
  [10_000, 0],
])('a cover that is moved by %i pixels still fills its area', async (pixels, percent) => {
  const html = await renderWithCover({}, pixels);

  expect(/object-position:50% ([\d.]+)%/.exec(html)?.[1]).toBe(percent?.toString());
});

test('the phone menu contains all header links, and the overflow menu contains those that do not fit', async () => {
  const links = [...'abcdefgh'].map((title) => ({ ...link, title: `Link ${title}`, links: [] }));
  const html = await renderWith(setField('header.links', links));
  const [, header = ''] = /<header(.*?)<\/header>/s.exec(html) ?? [];
  const [, menu = ''] = /<nav class="of-header"(.*?)<\/nav>/s.exec(html) ?? [];
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);

  for (const { title } of links) expect([header.includes(title), menu.includes(title)]).toEqual([true, true]);
  expect(header.split('<details')[0]).toContain('Link e');
  expect(header.split('<details')[0]).not.toContain('Link f');
  expect(new Set(ids).size).toBe(ids.length);
});

test('renders closed entries of the navigation for each path and customization, and marks only the current page', async () => {
  const createEntry = (title: string, more: object) => {
    const node = { kind: 'page' as const, title, icon: 'star', to: title.toLowerCase(), children: [] };
    return { ...node, ...more };
  };
  const closed = createEntry('Closed', { children: [createEntry('Child', {})] });
  const external = createEntry('Outside', { kind: 'link', to: 'https://example.test/' });
  const render = async (more: Partial<PageView>, customization = look) => {
    const current = createEntry('Current', { isOpen: true, isCurrent: true });
    const html = await getHtml({ ...getView(customization), navigation: [current, closed, external], ...more });
    return /<nav class="pages".*?<\/nav>/s.exec(html)?.[0] ?? '';
  };
  const look = createDefaultCustomization();
  const otherIcons = setField('styling.icons', 'thin');
  const blank = setField('externalLinks.target', 'blank');

  const first = await render({});
  expect(first).toContain('<a href="./closed">');
  expect(first).toContain('<a href="./current" aria-current="page">');
  expect(first.match(/aria-current/g)).toHaveLength(1);
  expect(await render({})).toBe(first);
  expect(await render({ relativeRoot: '../' })).toBe(first.replaceAll('"./', '"../'));
  expect(first).not.toContain('thin/star.svg');
  expect(await render({}, otherIcons)).toContain('thin/star.svg');
  expect(await render({}, blank)).toContain('<a href="https://example.test/" target="_blank" rel="noopener">');
});
