import type { SiteCustomization } from '@octavo/schema';
import { toWebOrigin, type WebOrigin } from '@octavo/schema/web-origin';

type Styling = SiteCustomization['styling'];
type Font = Styling['font'] | Styling['monospaceFont'];
type Definition = Exclude<Font, string>;

/** The CSS family of each font, and the hosted file that contains it. */
const fontFamilies: Record<string, [family: string, file?: string, fallback?: 'serif']> = {
  ABCFavorit: ['ABC Favorit'],
  Inter: ['Inter', 'inter'],
  Roboto: ['Roboto', 'roboto'],
  RobotoSlab: ['Roboto Slab', 'roboto-slab', 'serif'],
  OpenSans: ['Open Sans', 'open-sans'],
  SourceSansPro: ['Source Sans 3', 'source-sans-3'],
  Lato: ['Lato', 'lato'],
  Ubuntu: ['Ubuntu', 'ubuntu'],
  Raleway: ['Raleway', 'raleway'],
  Merriweather: ['Merriweather', 'merriweather', 'serif'],
  Overpass: ['Overpass', 'overpass'],
  NotoSans: ['Noto Sans', 'noto-sans'],
  IBMPlexSerif: ['IBM Plex Serif', 'ibm-plex-serif', 'serif'],
  Poppins: ['Poppins', 'poppins'],
  FiraSans: ['Fira Sans', 'fira-sans'],
  FiraCode: ['Fira Code', 'fira-code'],
  IBMPlexMono: ['IBM Plex Mono', 'ibm-plex-mono'],
  JetBrainsMono: ['JetBrains Mono', 'jetbrains-mono'],
  SourceCodePro: ['Source Code Pro', 'source-code-pro'],
  RobotoMono: ['Roboto Mono', 'roboto-mono'],
  SpaceMono: ['Space Mono', 'space-mono'],
  DMMono: ['DM Mono', 'dm-mono'],
  Inconsolata: ['Inconsolata', 'inconsolata'],
};

/** The default fonts are replaced by system fonts, so that no page waits for a font. */
const systemFonts: ReadonlySet<Font | undefined> = new Set<Font | undefined>(['Inter', 'IBMPlexMono']);

/** Escapes an address for `url("…")`; undefined if it is unsafe there. */
function toCssUrl(address: string): string | undefined {
  if (toWebOrigin(address) === undefined) return undefined;
  return new URL(address).href.replace(
    /["'()\\<>\s]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** Returns the name of a custom font without characters that are unsafe in a quoted CSS string. */
const toCssName = (name: string): string => name.replace(/[^\p{L}\p{N} _-]/gu, '');

const toFontFaces = ({ fontFamily, fontFaces }: Definition): string =>
  fontFaces
    .map(({ weight, sources }) => {
      const from = sources.flatMap(({ url, format }) => {
        const address = toCssUrl(url);
        return address === undefined ? [] : [`url("${address}")${format === undefined ? '' : ` format("${format}")`}`];
      });
      const face = `font-family:"${toCssName(fontFamily)}";font-weight:${Number(weight)};font-display:swap;src:${from.join()}`;
      return from.length === 0 ? '' : `@font-face{${face}}`;
    })
    .join('');

const getOrigins = ({ fontFaces }: Definition): WebOrigin[] =>
  fontFaces.flatMap(({ sources }) => sources.flatMap(({ url }) => toWebOrigin(url) ?? []));

/** Scripts that have separate font files, by language. */
const scripts: Record<string, string> = {
  ...Object.fromEntries(
    ['ru', 'uk', 'be', 'bg', 'mk', 'sr', 'kk', 'ky', 'mn'].map((language) => [language, 'cyrillic']),
  ),
  ...{ el: 'greek', vi: 'vietnamese', he: 'hebrew', hi: 'devanagari', mr: 'devanagari', ne: 'devanagari' },
  ...Object.fromEntries(['ar', 'fa', 'ur', 'zh', 'ja', 'ko', 'th'].map((language) => [language, ''])),
};

/** The font resources of a page. */
export interface SiteFonts {
  /** CSS rules for the page's own style. */
  css: string;
  /** Hosted stylesheets with the `@font-face` rules. */
  stylesheets: string[];
  /**
   * Hosted font files to preload because the text at the top of a page needs them. Variable fonts have one such file,
   * other fonts also one for bold text, so a name may have no file.
   */
  preloads: string[];
  /** Origins of fonts that are loaded from other hosts. */
  origins: WebOrigin[];
}

/** The uses of fonts: the suffix of the custom property, and the field of the customization. */
const uses = [
  ['font', 'font'],
  ['heading', 'headingFont'],
  ['mono', 'monospaceFont'],
] as const;

function toFontFamily(font: Font, use: (typeof uses)[number][0]): string {
  const [family, , fallback] =
    typeof font === 'string' ? (fontFamilies[font] ?? ['Inter']) : [toCssName(font.fontFamily)];
  return `"${family}",var(--${use === 'mono' ? 'monospace' : (fallback ?? 'sans')})`;
}

/** Returns the fonts of a customization for a page's language. Default fonts are system fonts. */
export function getFonts(styling: Styling, language: string): SiteFonts {
  const set = uses.flatMap(([use, field]): [use: (typeof uses)[number][0], font: Font][] => {
    const font = styling[field];
    return font === undefined || (field !== 'headingFont' && systemFonts.has(font)) ? [] : [[use, font]];
  });
  const rules = set.map(([use, font]) => `--font${use === 'font' ? '' : `-${use}`}:${toFontFamily(font, use)}`);
  const custom = [...new Map(set.flatMap(([, font]) => (typeof font === 'string' ? [] : [[font.id, font]]))).values()];
  const getFiles = (from: typeof set) => [
    ...new Set(from.flatMap(([, font]) => (typeof font === 'string' ? (fontFamilies[font]?.[1] ?? []) : []))),
  ];
  const script = scripts[language.split('-')[0] ?? ''] ?? 'latin';
  const first = getFiles(set.filter(([use]) => use !== 'mono'));
  return {
    css: `${custom.map(toFontFaces).join('')}${rules.length === 0 ? '' : `:root{${rules.join(';')}}`}`,
    stylesheets: getFiles(set).map((file) => `${file}.css`),
    preloads: script === '' ? [] : first.flatMap((file) => [`${file}-${script}.woff2`, `${file}-${script}-bold.woff2`]),
    origins: [...new Set(custom.flatMap(getOrigins))],
  };
}
