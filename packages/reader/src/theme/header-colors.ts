import type { SiteCustomization } from '@octavo/schema';
import { inkOn, readable } from './color.ts';
import type { ColorScheme } from './neutrals.ts';

type HeaderPreset = SiteCustomization['header']['preset'];

/** How the header is drawn: as its preset says, and where that says nothing, as the theme does. */
export const headerPresetOf = ({ header, styling }: Pick<SiteCustomization, 'header' | 'styling'>): HeaderPreset =>
  header.preset === 'default' && styling.theme === 'bold' ? 'bold' : header.preset;

/** What a header stands among. */
interface Around {
  scheme: ColorScheme;
  /** What the header lies on. */
  page: string;
  text: string;
  primary: string;
  /** What is seen through a header that has no ground of its own. */
  grounds: string[];
}

interface HeaderColors {
  ground: string;
  ink: string;
  link: string;
}

/** The colours of the header; undefined where it has those of the page. */
export function headerColorsOf(
  look: Pick<SiteCustomization, 'header' | 'styling'>,
  around: Around,
): HeaderColors | undefined {
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
