import type { SiteCustomization } from '@octavo/schema';
import { inkOn, mixed, readable } from './color.ts';

type Themed = SiteCustomization['styling']['primaryColor'];
type Theme = keyof Themed;

/** What all is drawn on, and the softer ground of code and of what stands apart. */
const grounds = { light: ['#ffffff', '#f4f5f7'], dark: ['#14161a', '#1e2127'] } as const;

const corners = { straight: '0', rounded: '0.5rem', circular: '1rem' } as const;

interface Toned {
  /** For lines and marks. */
  plain: string;
  /** For text on the ground of the page, on the softer one and on its own. */
  text: string;
  /** A ground of its own, and text on the plain colour. */
  ground: string;
  ink: string;
}

function tonedOf(color: Themed, theme: Theme): Toned {
  const [page, soft] = grounds[theme];
  const plain = color[theme];
  const ground = mixed(plain, page, theme === 'light' ? 0.09 : 0.16);
  const solid = readable(plain, [page], 3);
  return { plain: solid, text: readable(plain, [page, soft, ground]), ground, ink: inkOn(solid) };
}

const both = (light: string, dark: string): string => `light-dark(${light},${dark})`;

function properties(name: string, color: Themed): string {
  const [light, dark] = [tonedOf(color, 'light'), tonedOf(color, 'dark')];
  return [
    `--${name}:${both(light.plain, dark.plain)}`,
    `--${name}-text:${both(light.text, dark.text)}`,
    `--${name}-ground:${both(light.ground, dark.ground)}`,
    `--${name}-ink:${both(light.ink, dark.ink)}`,
  ].join(';');
}

/**
 * The custom properties that a customization gives, as CSS. Its colours keep their hue, and are moved in lightness until
 * what is written in them or on them has the contrast of WCAG AA, on both themes.
 */
export function tokensOf({ styling, header }: SiteCustomization): string {
  const { primaryColor, infoColor, successColor, warningColor, dangerColor } = styling;
  const colors = {
    primary: primaryColor,
    info: infoColor,
    success: successColor,
    warning: warningColor,
    danger: dangerColor,
  };
  const all = Object.entries(colors).map(([name, color]) => properties(name, color));
  const bold = header.preset === 'custom' ? header.backgroundColor : undefined;
  if (bold !== undefined)
    all.push(`--header:${both(bold.light, bold.dark)}`, `--header-ink:${both(inkOn(bold.light), inkOn(bold.dark))}`);
  return `:root{${all.join(';')};--radius:${corners[styling.corners]}}`;
}
