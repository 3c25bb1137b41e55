import type { SiteLink } from './customization-parts.ts';
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
  themes: { default: 'system', toggeable: true },
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

/** What a visitor is shown of a customization: whether a condition holds, and whether a link leads to what is shown. */
export interface ShownCustomization {
  holds: (condition: string | undefined) => boolean;
  leads: (to: SiteLink) => boolean;
}

/** All that the links of a customization lead to, of those whose conditions hold. */
export const linkedFrom = (
  { header, footer, announcement }: SiteCustomization,
  holds: ShownCustomization['holds'],
): SiteLink[] => [
  ...(header.primaryLink === undefined ? [] : [header.primaryLink]),
  ...header.links
    .filter(({ condition }) => holds(condition))
    .flatMap(({ to, links }) => [...(to === null ? [] : [to]), ...links.map((link) => link.to)]),
  ...footer.groups.flatMap(({ links }) => links.map(({ to }) => to)),
  ...(announcement?.link === undefined ? [] : [announcement.link.to]),
];

/**
 * The customization for a visitor: without the links whose conditions do not hold or that lead to what is not shown,
 * without what then has no link left, and without any condition.
 */
export function shownCustomization(
  { header, footer, announcement, ...settings }: SiteCustomization,
  { holds, leads }: ShownCustomization,
): SiteCustomization {
  const { primaryLink, ...head } = header;
  const kept = (links: { title: string; to: SiteLink }[]) => links.filter(({ to }) => leads(to));
  const items = header.links.flatMap(({ condition, ...item }) => {
    const to = item.to !== null && leads(item.to) ? item.to : null;
    const links = kept(item.links);
    const isEmptied = to === null && links.length === 0 && (item.to !== null || item.links.length > 0);
    return holds(condition) && !isEmptied ? [{ ...item, to, links }] : [];
  });
  const groups = footer.groups.flatMap((group) => {
    const links = kept(group.links);
    return links.length === 0 && group.links.length > 0 ? [] : [{ ...group, links }];
  });
  return {
    ...settings,
    ...(announcement === undefined ? {} : { announcement: withoutHiddenLink(announcement, leads) }),
    header: { ...head, ...(primaryLink !== undefined && leads(primaryLink) ? { primaryLink } : {}), links: items },
    footer: { ...footer, groups },
  };
}

function withoutHiddenLink<Told extends { link?: { to: SiteLink } | undefined }>(
  announcement: Told,
  leads: ShownCustomization['leads'],
): Told {
  const { link, ...told } = announcement;
  return link === undefined || leads(link.to) ? announcement : (told as Told);
}
