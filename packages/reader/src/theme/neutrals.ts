import type { SiteCustomization } from '@octavo/schema';
import { mixed, tinted } from './color.ts';

type Styling = SiteCustomization['styling'];
export type ColorScheme = 'light' | 'dark';

/** What is drawn on, and what is drawn without a colour of its own. */
export interface Neutrals {
  page: string;
  /** The ground of code, and of what stands apart. */
  surface: string;
  /** The ground of what lies above the page. */
  raised: string;
  border: string;
  text: string;
  muted: string;
}

const row = (page: string, surface: string, raised: string) => (border: string, text: string, muted: string) => ({
  ...{ page, surface, raised, border, text, muted },
});

const clean = {
  light: row('#ffffff', '#f4f5f7', '#ffffff')('#dfe2e7', '#1d232c', '#565f6c'),
  dark: row('#14161a', '#1e2127', '#1e2127')('#30353d', '#e4e7eb', '#a3abb7'),
};

/** Muted has less contrast between what lies beside each other, bold has more. */
const ofThemes: Record<Styling['theme'], Record<ColorScheme, Neutrals>> = {
  clean,
  gradient: clean,
  muted: {
    light: row('#f4f5f7', '#eaecf0', '#fbfbfc')('#dcdfe5', '#2b323c', '#57606c'),
    dark: row('#1c1f24', '#252930', '#272b32')('#343a43', '#d5d9df', '#a6aeb9'),
  },
  bold: {
    light: row('#ffffff', '#eef0f3', '#ffffff')('#b9c0ca', '#0d1117', '#454d59'),
    dark: row('#0b0d10', '#191c21', '#191c21')('#4a525e', '#f6f7f9', '#b9c0ca'),
  },
};

/** How much of the tint's chroma each may have. */
const chroma: Record<keyof Neutrals, number> = {
  ...{ page: 0.008, surface: 0.016, raised: 0.008 },
  ...{ border: 0.03, text: 0.03, muted: 0.04 },
};

const changed = (neutrals: Neutrals, change: (color: string, name: keyof Neutrals) => string): Neutrals =>
  Object.fromEntries(
    Object.entries(neutrals).map(([name, color]) => [name, change(color, name as keyof Neutrals)]),
  ) as unknown as Neutrals;

/** The neutral colours of a customization: those of its theme, in its tint, on a ground that matches where that is asked for. */
export function neutralsOf({ theme, tint, background, primaryColor }: Styling, scheme: ColorScheme): Neutrals {
  const own = ofThemes[theme][scheme];
  const toned =
    tint === undefined ? own : changed(own, (color, name) => tinted(color, tint.color[scheme], chroma[name]));
  if (background === 'plain') return toned;
  const part = scheme === 'light' ? 0.03 : 0.06;
  const matched = (color: string) => mixed(primaryColor[scheme], color, part);
  return { ...toned, page: matched(toned.page), surface: matched(toned.surface), raised: matched(toned.raised) };
}

/** The colour that a page of the theme with a gradient begins in, from above. */
export const gradientOf = ({ theme, primaryColor }: Styling, scheme: ColorScheme, page: string): string | undefined =>
  theme === 'gradient' ? mixed(primaryColor[scheme], page, scheme === 'light' ? 0.16 : 0.24) : undefined;
