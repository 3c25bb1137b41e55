import type { SiteCustomization } from '@octavo/schema';
import { keptResults } from '../kept-results.ts';
import { codeRulesOf } from './code-colors.ts';
import type { ColorScheme, SchemeColors } from './color.ts';
import { gradientOf, inkOn, mixed, neutralsOf, readable, themed } from './color.ts';

const corners = { straight: '0', rounded: '0.5rem', circular: '1rem' } as const;

const tones = ['primary', 'info', 'success', 'warning', 'danger'] as const;

/**
 * Returns the colors of a customization. They keep their hue; their lightness is adjusted until text in them or on them
 * has the contrast of WCAG AA on every background where it can appear.
 */
export function colorsOf(look: ColoredLook, scheme: ColorScheme): SchemeColors {
  const { styling } = look;
  const { text, muted, border, ...grounds } = neutralsOf(styling, scheme);
  const gradient = gradientOf(styling, scheme, grounds.page);
  const part = scheme === 'light' ? 0.09 : 0.16;
  const groundOf = (tone: (typeof tones)[number]) => mixed(styling[`${tone}Color`][scheme], grounds.page, part);
  const bare = [...Object.values(grounds), ...(gradient === undefined ? [] : [gradient])];
  const all = [...bare, ...tones.map(groundOf)];
  const colors: SchemeColors = { ...grounds, border, text: readable(text, all), muted: readable(muted, all) };
  if (gradient !== undefined) colors.gradient = gradient;
  for (const tone of tones) {
    const plain = readable(styling[`${tone}Color`][scheme], [grounds.page], 3);
    colors[tone] = plain;
    colors[`${tone}-text`] = readable(styling[`${tone}Color`][scheme], all);
    colors[`${tone}-ground`] = groundOf(tone);
    colors[`${tone}-ink`] = inkOn(plain);
  }
  colors['primary-fill'] = styling.primaryColor[scheme];
  colors['primary-fill-ink'] = inkOn(styling.primaryColor[scheme]);
  const around = {
    scheme,
    page: grounds.page,
    text: colors.text ?? text,
    primary: styling.primaryColor[scheme],
    grounds: bare,
  };
  const header = headerColorsOf(look, around);
  if (header === undefined) return colors;
  return { ...colors, top: header.ground, 'top-ink': header.ink, 'top-link': header.link };
}

/** The settings from which colors are derived. */
type ColoredLook = Pick<SiteCustomization, 'styling' | 'header'>;

const mostLooks = 100;

/** Returns the custom properties of a customization as CSS. */
export const tokensOf = ({ styling, header }: ColoredLook): string => tokensOfText(JSON.stringify({ styling, header }));

const tokensOfText = keptResults(mostLooks, (text) => {
  const look = JSON.parse(text) as ColoredLook;
  const [light, dark] = [colorsOf(look, 'light'), colorsOf(look, 'dark')];
  const root = `:root{${themed(light, dark)};--radius:${corners[look.styling.corners]}}`;
  return `${root}${codeRulesOf(look.styling.codeTheme, { light, dark })}`;
});

type HeaderPreset = SiteCustomization['header']['preset'];

/** Returns the header preset, or the theme's default if the customization sets none. */
export const headerPresetOf = ({ header, styling }: Pick<SiteCustomization, 'header' | 'styling'>): HeaderPreset =>
  header.preset === 'default' && styling.theme === 'bold' ? 'bold' : header.preset;

/** The colors around a header. */
interface Around {
  scheme: ColorScheme;
  /** Background under the header. */
  page: string;
  text: string;
  primary: string;
  /** Colors visible through a transparent header. */
  grounds: string[];
}

interface HeaderColors {
  ground: string;
  ink: string;
  link: string;
}

/** Returns the header's colors; undefined if they are those of the page. */
function headerColorsOf(look: Pick<SiteCustomization, 'header' | 'styling'>, around: Around): HeaderColors | undefined {
  const { backgroundColor, linkColor } = look.header;
  const { scheme, page, text, primary, grounds } = around;
  const preset = headerPresetOf(look);
  const own = { bold: primary, contrast: text, custom: backgroundColor?.[scheme], default: undefined, none: undefined };
  const ground = own[preset];
  if (ground === undefined && linkColor === undefined) return undefined;
  const ink = ground === undefined ? text : inkOn(ground);
  const link = linkColor === undefined ? ink : readable(linkColor[scheme], ground === undefined ? grounds : [ground]);
  return { ground: ground ?? page, ink, link };
}
