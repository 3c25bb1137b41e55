import type { CustomizationChanges, SiteCustomization } from './site-customization.ts';

const alike = (color: string) => ({ light: color, dark: color });
const codeTheme = { light: 'default-light', dark: 'default-dark' };

/** How a site looks that nobody has customized. */
export const defaultCustomization = (): SiteCustomization => ({
  styling: {
    theme: 'clean',
    primaryColor: alike('#346ddb'),
    infoColor: alike('#787878'),
    successColor: alike('#00a63e'),
    warningColor: alike('#fe9a00'),
    dangerColor: alike('#fb2c36'),
    corners: 'rounded',
    depth: 'subtle',
    links: 'default',
    font: 'Inter',
    monospaceFont: 'IBMPlexMono',
    background: 'plain',
    icons: 'regular',
    sidebar: { background: 'default', list: 'default' },
    codeTheme: { default: codeTheme, openapi: codeTheme },
    search: 'subtle',
  },
  internationalization: { locale: 'en' },
  favicon: {},
  header: { preset: 'default', links: [] },
  footer: { groups: [] },
  themes: { default: 'light', toggeable: true },
  pdf: { enabled: false },
  feedback: { enabled: false },
  ai: { mode: 'none' },
  aiSearch: { enabled: false },
  advancedCustomization: { enabled: true },
  git: { showEditLink: false },
  pageActions: { externalAI: true, markdown: true, items: ['markdown', 'external-ai'] },
  externalLinks: { target: 'self' },
  pagination: { enabled: true },
  trademark: { enabled: false },
  privacyPolicy: {},
  socialPreview: {},
  socialAccounts: [],
  insights: { trackingCookie: false },
});

type Settings = { [name: string]: unknown };

/** Groups, whose fields are set one by one; all else is set as a whole. */
const groups: ReadonlySet<string> = new Set([
  ...['styling', 'styling.sidebar', 'styling.codeTheme'],
  ...['internationalization', 'header', 'footer', 'themes', 'pdf', 'feedback', 'ai', 'aiSearch'],
  ...['advancedCustomization', 'git', 'pageActions', 'externalLinks', 'pagination', 'trademark'],
  ...['privacyPolicy', 'socialPreview', 'insights'],
]);

function withChanges(settings: Settings, changes: Settings, place = ''): Settings {
  const changed = { ...settings };
  for (const [name, value] of Object.entries(changes)) {
    const path = `${place}${name}`;
    if (value === undefined) continue;
    if (value === null) delete changed[name];
    else if (!groups.has(path)) changed[name] = value;
    else changed[name] = withChanges((changed[name] ?? {}) as Settings, value as Settings, `${path}.`);
  }
  return changed;
}

/** What is set after a change: where that has null, nothing is. */
export const changedCustomization = (
  set: CustomizationChanges | undefined,
  changes: CustomizationChanges,
): CustomizationChanges => withChanges(set ?? {}, changes);

/** The whole object: the defaults, and on them what the site has set, and on that what its site space has. */
export const fullCustomization = (...set: (CustomizationChanges | undefined | null)[]): SiteCustomization =>
  set.reduce<Settings>(
    (full, each) => withChanges(full, each ?? {}),
    defaultCustomization() as unknown as Settings,
  ) as unknown as SiteCustomization;

/** The customization for a visitor: without the links whose conditions do not hold, and without any condition. */
export const shownCustomization = (
  { header, ...settings }: SiteCustomization,
  isShown: (condition: string | undefined) => boolean,
): SiteCustomization => ({
  ...settings,
  header: {
    ...header,
    links: header.links.filter(({ condition }) => isShown(condition)).map(({ condition, ...link }) => link),
  },
});
