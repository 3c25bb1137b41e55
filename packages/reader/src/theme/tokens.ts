import type { SiteCustomization } from '@octavo/schema';
import { cacheResults } from '../cache-results.ts';
import { createCodeRules } from './code-colors.ts';
import type { ColorScheme, SchemeColors } from './color.ts';
import { getGradient, getNeutrals, getReadableTextColor, makeReadable, mixColors, toCssProperties } from './color.ts';

const corners = { straight: '0', rounded: '0.5rem', circular: '1rem' } as const;

const tones = ['primary', 'info', 'success', 'warning', 'danger'] as const;

/**
 * Returns the colors of a customization. They keep their hue; their lightness is adjusted until text in them or on them
 * has the contrast of WCAG AA on every background where it can appear.
 */
export function getColors(settings: ColorSettings, scheme: ColorScheme): SchemeColors {
  const { styling } = settings;
  const { text, muted, border, ...backgrounds } = getNeutrals(styling, scheme);
  const gradient = getGradient(styling, scheme, backgrounds.page);
  const part = scheme === 'light' ? 0.09 : 0.16;
  const getToneBackground = (tone: (typeof tones)[number]) =>
    mixColors(styling[`${tone}Color`][scheme], backgrounds.page, part);
  const pageBackgrounds = [...Object.values(backgrounds), ...(gradient === undefined ? [] : [gradient])];
  const all = [...pageBackgrounds, ...tones.map(getToneBackground)];
  const colors: SchemeColors = {
    ...backgrounds,
    border,
    text: makeReadable(text, all),
    muted: makeReadable(muted, all),
  };
  if (gradient !== undefined) colors.gradient = gradient;
  for (const tone of tones) {
    const plain = makeReadable(styling[`${tone}Color`][scheme], [backgrounds.page], 3);
    colors[tone] = plain;
    colors[`${tone}-text`] = makeReadable(styling[`${tone}Color`][scheme], all);
    colors[`${tone}-ground`] = getToneBackground(tone);
    colors[`${tone}-ink`] = getReadableTextColor(plain);
  }
  colors['primary-fill'] = styling.primaryColor[scheme];
  colors['primary-fill-ink'] = getReadableTextColor(styling.primaryColor[scheme]);
  const surroundingColors = {
    scheme,
    page: backgrounds.page,
    text: colors.text ?? text,
    primary: styling.primaryColor[scheme],
    backgrounds: pageBackgrounds,
  };
  const header = getHeaderColors(settings, surroundingColors);
  if (header === undefined) return colors;
  return { ...colors, top: header.background, 'top-ink': header.ink, 'top-link': header.link };
}

/** The settings that determine the colors. */
type ColorSettings = Pick<SiteCustomization, 'styling' | 'header'>;

const maxCachedThemes = 100;

/** Returns the custom properties of a customization as CSS. */
export const getTokens = ({ styling, header }: ColorSettings): string =>
  computeTokens(JSON.stringify({ styling, header }));

const computeTokens = cacheResults(maxCachedThemes, (text) => {
  const settings = JSON.parse(text) as ColorSettings;
  const [light, dark] = [getColors(settings, 'light'), getColors(settings, 'dark')];
  const root = `:root{${toCssProperties(light, dark)};--radius:${corners[settings.styling.corners]}}`;
  return `${root}${createCodeRules(settings.styling.codeTheme, { light, dark })}`;
});

type HeaderPreset = SiteCustomization['header']['preset'];

/** Returns the header preset, or the theme's default if the customization sets none. */
export const getHeaderPreset = ({ header, styling }: Pick<SiteCustomization, 'header' | 'styling'>): HeaderPreset =>
  header.preset === 'default' && styling.theme === 'bold' ? 'bold' : header.preset;

/** The colors around a header. */
interface HeaderSurroundings {
  scheme: ColorScheme;
  /** Background under the header. */
  page: string;
  text: string;
  primary: string;
  /** Colors visible through a transparent header. */
  backgrounds: string[];
}

interface HeaderColors {
  background: string;
  ink: string;
  link: string;
}

/** Returns the header's colors, or undefined if the header has the colors of the page. */
function getHeaderColors(
  settings: Pick<SiteCustomization, 'header' | 'styling'>,
  surroundingColors: HeaderSurroundings,
): HeaderColors | undefined {
  const { backgroundColor, linkColor } = settings.header;
  const { scheme, page, text, primary, backgrounds } = surroundingColors;
  const preset = getHeaderPreset(settings);
  const presetColors = {
    bold: primary,
    contrast: text,
    custom: backgroundColor?.[scheme],
    default: undefined,
    none: undefined,
  };
  const background = presetColors[preset];
  if (background === undefined && linkColor === undefined) return undefined;
  const ink = background === undefined ? text : getReadableTextColor(background);
  const link =
    linkColor === undefined
      ? ink
      : makeReadable(linkColor[scheme], background === undefined ? backgrounds : [background]);
  return { background: background ?? page, ink, link };
}
