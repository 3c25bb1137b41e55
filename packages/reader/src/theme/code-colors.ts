import type { SiteCustomization } from '@octavo/schema';
import type { ColorScheme, SchemeColors } from './color.ts';
import { makeReadable, mixColors, toCssProperties } from './color.ts';

type CodeThemes = SiteCustomization['styling']['codeTheme'];
type Themes = CodeThemes['default'];
type Colors = Record<ColorScheme, SchemeColors>;

const marks = ['primary', 'success', 'danger'] as const;

/**
 * Returns the colors of code, adjusted to be readable on their background. A palette without a background or text color
 * uses those of the page.
 */
function createCodeColors(palette: CodePalette, colors: Colors): SchemeColors {
  const page = colors[palette.scheme];
  const { background = page.surface ?? '', text, tokens } = palette;
  const part = palette.scheme === 'light' ? 0.09 : 0.16;
  const backgrounds = marks.map(
    (name) => [`${name}-ground`, mixColors(page[name] ?? background, background, part)] as const,
  );
  const all = [background, ...backgrounds.map(([, color]) => color)];
  const words = Object.entries(tokens).map(([name, color]) => [`t-${name}`, makeReadable(color, all)]);
  const ink = makeReadable(text ?? page.text ?? '', all);
  return Object.fromEntries([
    ...[['surface', background] as const, ['raised', background] as const, ['text', ink] as const, ...backgrounds],
    ...[
      ['muted', makeReadable(mixColors(ink, background, 0.75), all)] as const,
      ['border', mixColors(ink, background, 0.16)] as const,
    ],
    ...words,
  ]);
}

const isToken = ([name]: [string, string]): boolean => name.startsWith('t-');

function createRule(selector: string, themes: Themes, colors: Colors): string {
  const [light, dark] = (['light', 'dark'] as const).map((scheme) =>
    createCodeColors(getPalette(themes[scheme], scheme), colors),
  ) as [SchemeColors, SchemeColors];
  const isDefaultTheme = themes.light === 'default-light' && themes.dark === 'default-dark';
  const tokens = isDefaultTheme ? Object.fromEntries(Object.entries(light).filter(isToken)) : light;
  return `${selector}{${toCssProperties(tokens, dark)}}`;
}

/** Returns the CSS rules for code colors: the default ones, and those of API references if they differ. */
export function createCodeRules({ default: usual, openapi }: CodeThemes, colors: Colors): string {
  const isAlike = openapi.light === usual.light && openapi.dark === usual.dark;
  return `${createRule('.code', usual, colors)}${isAlike ? '' : createRule('.samples .code', openapi, colors)}`;
}

/** Token kinds that have colors. */
const kinds = ['keyword', 'constant', 'string', 'comment', 'name', 'property', 'deleted'] as const;

/** A code theme: its own background and text color, or those of the page. */
interface CodePalette {
  scheme: ColorScheme;
  background?: string;
  text?: string;
  tokens: Record<(typeof kinds)[number], string>;
}

const assignColors = (colors: string): CodePalette['tokens'] =>
  Object.fromEntries(colors.split(' ').map((color, index) => [kinds[index], `#${color}`])) as CodePalette['tokens'];

const createPagePalette = (scheme: ColorScheme, colors: string): CodePalette => ({
  scheme,
  tokens: assignColors(colors),
});

/** Creates a palette from its background, text color and the colors of the kinds in order. */
const createPalette = (scheme: ColorScheme, background: string, text: string, colors: string): CodePalette => ({
  ...{ scheme, background: `#${background}`, text: `#${text}`, tokens: assignColors(colors) },
});

const createLightPalette = (background: string, text: string, colors: string) =>
  createPalette('light', background, text, colors);
const createDarkPalette = (background: string, text: string, colors: string) =>
  createPalette('dark', background, text, colors);

const usual = {
  light: createPagePalette('light', '8b1fa9 9a4a00 1a6b33 59636e 0b57b8 00646f b3261e'),
  dark: createPagePalette('dark', 'd79bf0 f0a868 8fd19e 9aa3ae 7fb5f5 6fd0d8 f2938c'),
};
const plain = {
  light: createPagePalette('light', '1f2328 3b424b 4b535d 666e78 1f2328 3b424b 8a1f17'),
  dark: createPagePalette('dark', 'f2f4f6 cfd5db bcc3cb 99a1ab f2f4f6 cfd5db f2b3ae'),
};

/** Palettes by prefix of a theme's name. The first match applies. */
const palettesByPrefix: [beginnings: string, palette: CodePalette][] = [
  ['default-light', usual.light],
  ['default-dark', usual.dark],
  ['monochrome-light min-light', plain.light],
  ['monochrome-dark min-dark', plain.dark],
  ['github-light', createLightPalette('ffffff', '24292f', 'c0283a 0a50a8 0b3a70 626b75 6b3fbf 0a50a8 b3261e')],
  ['github-dark', createDarkPalette('0f141a', 'dbe2ea', 'f47f76 7cbcf9 a8d3fb 929ba6 cfa5f8 7cbcf9 f5a39b')],
  ['light-plus', createLightPalette('ffffff', '1b1b1b', '1030d0 0a7d5a a02020 2d7a2d 7a5c20 10508a a01010')],
  ['dark-plus slack-dark', createDarkPalette('1e1e1e', 'd6d6d6', '62a5dd b9d3ae d29a80 76a664 dddbae a2dbfb f08c84')],
  ['one-light slack-ochin', createLightPalette('fafafa', '383a42', 'a02aa2 955f00 3f8a42 7c7d84 3868d8 c43a30 c43a30')],
  ['one-dark houston', createDarkPalette('282c34', 'c3c9d4', 'cb82e0 d8a271 9fc981 8a93a3 6bb5f2 e4737d e4737d')],
  [
    'solarized-light gruvbox-light everforest-light',
    createLightPalette('fcf5e2', '51646b', '6d7c00 b04a14 1e8079 78868a 2272b5 1e7f9b c9302b'),
  ],
  ['solarized-dark', createDarkPalette('03303b', '9fb0b3', '98ab10 e0703a 3fb5ab 7a9299 4aa3e6 3fb5ab f0716c')],
  ['gruvbox-dark', createDarkPalette('282726', 'e8d9b5', 'f66a56 d491a6 bcc03e a29384 92c381 8aae9f f66a56')],
  ['everforest-dark', createDarkPalette('2d353a', 'd3c8ae', 'e48286 d49bb8 a9c284 8a968f 85bdb4 dcbd84 e48286')],
  ['dracula', createDarkPalette('282a36', 'f5f5f0', 'fb7ec6 be97f7 eef092 8b97c0 62f582 8fe7fb fb6c6c')],
  ['monokai', createDarkPalette('272822', 'f5f5ef', 'f75a8c b08ffb e3da7c 9c9883 a8df3c 6fd8ec f75a8c')],
  ['nord', createDarkPalette('2e3440', 'd9dfe9', '86a5c5 b994b1 a7c191 8e9ab0 8cc2d2 94bfbd d0777f')],
  [
    'catppuccin-latte rose-pine-dawn kanagawa-lotus',
    createLightPalette('f2f1f6', '4b4e66', '8436e0 cf5a12 3a8a2c 7b7e92 2563dd 16808c cc1238'),
  ],
  [
    'catppuccin rose-pine kanagawa',
    createDarkPalette('1f1f2e', 'cfd5f2', 'c9a5f4 f7b389 a8e0a4 8f94ad 8cb5f8 96dfd6 f190aa'),
  ],
  [
    'tokyo-night night-owl poimandres andromeeda',
    createDarkPalette('171a28', 'c4ccee', 'bd9bf6 fb9f66 a0cf6d 7e88b3 7da4f5 7fd0fb f5788f'),
  ],
  [
    'synthwave laserwave aurora',
    createDarkPalette('261f36', 'f3eff7', 'f6de5f f58e42 fb8b3c 9c8fbe 3bf0d5 fb80d8 fb5f66'),
  ],
  [
    'material-theme-lighter snazzy-light',
    createLightPalette('fafafa', '4d5a62', '7a3ff0 e05a30 4d8a2a 7f8a90 3f72d8 2b8797 d3302d'),
  ],
  ['material', createDarkPalette('222d33', 'e9f0f1', 'c894e8 f58f72 c2e58c 859ba5 85abf8 8addfb f2747a')],
  ['ayu vesper', createDarkPalette('10131a', 'c3c1ba', 'fb9245 d5b0fb abd652 8d939b fbb85a 5fbbe2 ef7a7c')],
  ['vitesse-light', createLightPalette('ffffff', '3b3c38', '1f7548 2c7a5b ad5a42 868c80 53781f 906020 a83c3c')],
  [
    'vitesse-dark vitesse-black plastic',
    createDarkPalette('131313', 'dad7c8', '57a37d 55a894 cd9280 84897f 8eb07f bca46d cf7f76'),
  ],
  ['red', createDarkPalette('390a0b', 'f7f0f0', 'f57068 fbb0b0 e8b07d c88a86 f7c95a f0a0a0 fb8f8f')],
];

/** Returns the palette of a code theme, or the default of the color scheme if the theme is unknown. */
export const getPalette = (theme: string, scheme: ColorScheme): CodePalette =>
  palettesByPrefix.find(([prefixes]) => prefixes.split(' ').some((each) => theme.startsWith(each)))?.[1] ??
  usual[scheme];
