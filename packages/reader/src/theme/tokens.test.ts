import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createDefaultCustomization, SiteCustomization } from '@octavo/schema';
import { expect, test } from 'vitest';
import { getPalette } from './code-colors.ts';
import type { ColorScheme } from './color.ts';
import { getContrast } from './color.ts';
import { getThemeClasses } from './styles.ts';
import { getColors, getTokens } from './tokens.ts';

const schemes: ColorScheme[] = ['light', 'dark'];
const colors = ['#000000', '#ffffff', '#ffff00', '#0000ff', '#ff0000', '#00ff00', '#7fdbff', '#346ddb', '#787878'];
const themes = ['clean', 'muted', 'bold', 'gradient'] as const;
const tones = ['primary', 'info', 'success', 'warning', 'danger'];
const createColorPair = (color: string) => ({ light: color, dark: color });

function createCustomization(styling: Partial<SiteCustomization['styling']>): SiteCustomization {
  const usual = createDefaultCustomization();
  return { ...usual, styling: { ...usual.styling, ...styling } };
}

/** Returns the text and background color pairs of a theme whose contrast is too low. */
function getFaults(look: SiteCustomization): string[] {
  return schemes.flatMap((scheme) => {
    const drawn = getColors(look, scheme);
    const grounds = ['page', 'surface', 'raised', 'gradient', ...tones.map((tone) => `${tone}-ground`)];
    const inks = ['text', 'muted', ...tones.map((tone) => `${tone}-text`)];
    const pairs = [
      ...inks.flatMap((ink) => grounds.map((ground) => [ink, ground] as const)),
      ...tones.map((tone) => [`${tone}-ink`, tone] as const),
      ...(['top-ink', 'top-link'] as const).map((ink) => [ink, 'top'] as const),
    ];
    return pairs.flatMap(([ink, ground]) => {
      const [above, below] = [drawn[ink], drawn[ground]];
      if (above === undefined || below === undefined || getContrast(above, below) >= 4.5) return [];
      return [`${scheme}: ${ink} ${above} on ${ground} ${below}`];
    });
  });
}

const looks = colors.flatMap((color) => themes.map((theme) => ({ color, theme })));

test.each(looks)('all text in a $theme theme of $color is readable', ({ color, theme }) => {
  for (const background of ['plain', 'match'] as const)
    for (const tint of [undefined, ...colors]) {
      const look = createCustomization({
        ...{ theme, background, primaryColor: createColorPair(color) },
        ...(tint === undefined ? {} : { tint: { color: createColorPair(tint) } }),
      });
      expect(getFaults(look)).toEqual([]);
    }
});

const presets = ['default', 'bold', 'contrast', 'custom'] as const;

test.each(colors)('links of %s are readable in every header', (color) => {
  for (const preset of presets)
    for (const ground of colors)
      for (const theme of themes) {
        const look = createCustomization({ theme, primaryColor: createColorPair(ground) });
        const header = {
          ...look.header,
          preset,
          backgroundColor: createColorPair(ground),
          linkColor: createColorPair(color),
        };
        expect(getFaults({ ...look, header })).toEqual([]);
      }
});

const codeThemes: string[] = SiteCustomization.shape.styling.shape.codeTheme.shape.default.shape.light.options;

/** Returns the colors of a CSS rule in one color scheme. */
function readColors(css: string, selector: string, scheme: ColorScheme): Map<string, string> {
  const [, rule = ''] = css.split(`}${selector}{`);
  const [body = ''] = rule.split('}');
  const colorMatches = body.matchAll(/--([\w-]+):light-dark\((#\w+),(#\w+)\)/g);
  return new Map(
    [...colorMatches].map(([, name = '', light = '', dark = '']) => [name, scheme === 'light' ? light : dark]),
  );
}

test.each(codeThemes)('code in the theme %s is readable on its background, in light and dark mode', (theme) => {
  const { codeTheme } = createCustomization({}).styling;
  const css = getTokens(createCustomization({ codeTheme: { ...codeTheme, default: { light: theme, dark: theme } } }));
  for (const scheme of schemes) {
    const drawn = readColors(css, '.code', scheme);
    const inks = [...drawn].filter(([name]) => name.startsWith('t-') || name === 'text' || name === 'muted');
    const grounds = [...drawn].filter(([name]) => name === 'surface' || name.endsWith('-ground'));
    expect(inks.length).toBe(9);
    expect(grounds.length).toBe(4);
    for (const [ink, color] of inks)
      for (const [ground, below] of grounds)
        expect({ ink, ground, reads: getContrast(color, below) >= 4.5 }).toMatchObject({ reads: true });
  }
});

test('dark code themes are dark and light ones are light, whatever the color scheme of the page', () => {
  const isDark = /dark|mocha|dracula|monokai|^nord|night|vesper|black|moon|wave|dragon|ocean|palenight|synthwave/;
  for (const theme of codeThemes)
    if (isDark.test(theme) && theme !== 'kanagawa-lotus')
      expect([theme, getPalette(theme, 'light').scheme]).toEqual([theme, 'dark']);
    else if (/light|latte|dawn|lotus/.test(theme))
      expect([theme, getPalette(theme, 'dark').scheme]).toEqual([theme, 'light']);
});

test('code of an API reference can have its own theme', () => {
  const { codeTheme } = createCustomization({}).styling;
  const openapi = { light: 'dracula', dark: 'dracula' };

  expect(getTokens(createCustomization({}))).not.toContain('.samples');
  expect(getTokens(createCustomization({ codeTheme: { ...codeTheme, openapi } }))).toContain('.samples .code{');
});

const styles = ['tokens', 'layout', 'navigation']
  .map((name) => readFileSync(path.resolve(import.meta.dirname, `../../styles/${name}.css`), 'utf8'))
  .join();
const choices: Partial<SiteCustomization['styling']>[] = [
  ...[{ theme: 'bold' as const }, { theme: 'gradient' as const }],
  ...[{ links: 'accent' as const }, { depth: 'flat' as const }, { search: 'prominent' as const }],
  { sidebar: { background: 'filled' as const, list: 'pill' as const } },
  { sidebar: { background: 'filled' as const, list: 'line' as const } },
];

test.each(choices)('the stylesheet contains the class for %j', (choice) => {
  const classes = getThemeClasses(createCustomization(choice));

  expect(classes).not.toEqual([]);
  for (const name of classes) expect(styles).toContain(`.${name}`);
});
