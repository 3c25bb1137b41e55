import type { SiteCustomization } from '@octavo/schema';
import { type CodePalette, paletteOf } from './code-palettes.ts';
import { mixed, readable } from './color.ts';
import type { ColorScheme } from './neutrals.ts';
import { type SchemeColors, themed } from './scheme-colors.ts';

type CodeThemes = SiteCustomization['styling']['codeTheme'];
type Themes = CodeThemes['default'];
type Colors = Record<ColorScheme, SchemeColors>;

const marks = ['primary', 'success', 'danger'] as const;

/** The colours of code: those of the page for its own, and of another theme all, as they can be read on its ground. */
function codeColorsOf(palette: CodePalette, colors: Colors): SchemeColors {
  const page = colors[palette.scheme];
  const { ground = page.surface ?? '', text, tokens } = palette;
  const part = palette.scheme === 'light' ? 0.09 : 0.16;
  const grounds = marks.map((name) => [`${name}-ground`, mixed(page[name] ?? ground, ground, part)] as const);
  const all = [ground, ...grounds.map(([, color]) => color)];
  const words = Object.entries(tokens).map(([name, color]) => [`t-${name}`, readable(color, all)]);
  const ink = readable(text ?? page.text ?? '', all);
  return Object.fromEntries([
    ...[['surface', ground] as const, ['raised', ground] as const, ['text', ink] as const, ...grounds],
    ...[['muted', readable(mixed(ink, ground, 0.75), all)] as const, ['border', mixed(ink, ground, 0.16)] as const],
    ...words,
  ]);
}

const isToken = ([name]: [string, string]): boolean => name.startsWith('t-');

function rule(selector: string, themes: Themes, colors: Colors): string {
  const [light, dark] = (['light', 'dark'] as const).map((scheme) =>
    codeColorsOf(paletteOf(themes[scheme], scheme), colors),
  ) as [SchemeColors, SchemeColors];
  const isOwn = themes.light === 'default-light' && themes.dark === 'default-dark';
  const shown = isOwn ? Object.fromEntries(Object.entries(light).filter(isToken)) : light;
  return `${selector}{${themed(shown, dark)}}`;
}

/** Rules of the colours of code: of all, and of the reference of an API where that has others. */
export function codeRulesOf({ default: usual, openapi }: CodeThemes, colors: Colors): string {
  const isAlike = openapi.light === usual.light && openapi.dark === usual.dark;
  return `${rule('.code', usual, colors)}${isAlike ? '' : rule('.samples .code', openapi, colors)}`;
}
