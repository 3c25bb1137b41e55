import { createDefaultCustomization, SiteCustomization } from '@octavo/schema';
import { expect, test } from 'vitest';
import { getFonts } from './fonts.ts';

type Styling = SiteCustomization['styling'];

const getStyling = (own: Partial<Styling>): Styling => ({ ...createDefaultCustomization().styling, ...own });
const { font: fonts, monospaceFont: monospaced } = SiteCustomization.shape.styling.shape;
const [names, monospacedNames] = [fonts.options[0].options, monospaced.options[0].options];

test('loads no font by default', () => {
  expect(getFonts(getStyling({}), 'en')).toEqual({ css: '', stylesheets: [], preloads: [], origins: [] });
});

const listOtherFonts = <Name extends string>(all: Name[], usual: string): Name[] =>
  all.filter((name) => name !== usual && name !== 'ABCFavorit');

test.each(listOtherFonts(names, 'Inter'))(
  '%s is served from our host and preloaded for the script of the page',
  (font) => {
    const { css, stylesheets, preloads, origins } = getFonts(getStyling({ font }), 'en');

    expect(css).toMatch(/^:root\{--font:"[\w ]+",var\(--(?:sans|serif)\)\}$/);
    expect(stylesheets).toEqual([expect.stringMatching(/^[a-z\d-]+\.css$/)]);
    expect(preloads).toEqual(['', '-bold'].map((bold) => stylesheets[0]?.replace('.css', `-latin${bold}.woff2`)));
    expect(origins).toEqual([]);
  },
);

test.each(listOtherFonts(monospacedNames, 'IBMPlexMono'))('%s is served from our host and not preloaded', (font) => {
  const { stylesheets, preloads } = getFonts(getStyling({ monospaceFont: font }), 'en');

  expect(stylesheets).toHaveLength(1);
  expect(preloads).toEqual([]);
});

test('preloads the font file for the script of the page language', () => {
  const getPreloads = (language: string) =>
    getFonts(getStyling({ font: 'Roboto', headingFont: 'Inter' }), language).preloads;
  const listFontFiles = (script: string) =>
    ['roboto', 'inter'].flatMap((name) => [`${name}-${script}.woff2`, `${name}-${script}-bold.woff2`]);

  expect(getPreloads('ru')).toEqual(listFontFiles('cyrillic'));
  expect(getPreloads('pt-BR')).toEqual(listFontFiles('latin'));
  expect(getPreloads('ja')).toEqual([]);
});

const createCustomFont = (url: string) => ({
  ...{ id: 'own', custom: true, fontFamily: 'Own Sans' },
  fontFaces: [{ weight: 400, sources: [{ url, format: 'woff2' as const }] }],
});

test("loads a site's custom font from the location of that font", () => {
  const font = createCustomFont('https://fonts.example.test/own.woff2');

  const { css, origins, stylesheets } = getFonts(getStyling({ font, headingFont: font }), 'en');

  expect(css.match(/@font-face/g)).toHaveLength(1);
  expect(css).toContain('src:url("https://fonts.example.test/own.woff2") format("woff2")');
  expect(css).toContain('--font:"Own Sans",var(--sans)');
  expect({ origins, stylesheets }).toEqual({ origins: ['https://fonts.example.test'], stylesheets: [] });
});

test.each([
  'https://x.test/a");}</style><script>alert(1)</script>',
  'https://x.test/?q=\\"</style>',
  "https://x.test/#')}</style>",
  'javascript:alert(1)',
  'data:font/woff2;base64,AAAA',
])('escapes the URL %s', (url) => {
  const { css } = getFonts(getStyling({ font: createCustomFont(url) }), 'en');

  const [, rest = ''] = css.split('url("');
  expect(css).not.toMatch(/<|\\|javascript|data:/);
  expect(rest.split('"')[0]).not.toMatch(/[()']/);
});

test.each([
  'https://a.example;script-src-elem',
  'https://a.example,b.example/',
  'https://*.example/',
  "https://'unsafe-inline'/",
  'https://a.example /x',
  'https://x\ny/',
])('loads nothing from the stored URL %j', (url) => {
  const font = { ...createCustomFont(url), fontFamily: 'Own";}</style>' };

  const { css, origins } = getFonts(getStyling({ font }), 'en');

  expect({ css, origins }).toEqual({ css: ':root{--font:"Ownstyle",var(--sans)}', origins: [] });
});
