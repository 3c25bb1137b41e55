import type { SiteCustomization } from '@octavo/schema';

/** The custom properties that a customization gives: CSS for the page. */
export function tokensOf({ styling }: SiteCustomization): string {
  const { light, dark } = styling.primaryColor;
  return `:root{--primary:light-dark(${light},${dark})}`;
}
