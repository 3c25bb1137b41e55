import type { CustomizationChanges, PageAction, SiteCustomization, SiteLink } from './customization.ts';

const toBothSchemes = (color: string) => ({ light: color, dark: color });
const defaultCodeTheme = { light: 'default-light', dark: 'default-dark' };

/** Returns the appearance of a site without a customization. */
export const createDefaultCustomization = (): SiteCustomization => ({
  styling: {
    theme: 'clean',
    primaryColor: toBothSchemes('#346ddb'),
    infoColor: toBothSchemes('#787878'),
    successColor: toBothSchemes('#00a63e'),
    warningColor: toBothSchemes('#fe9a00'),
    dangerColor: toBothSchemes('#fb2c36'),
    corners: 'rounded',
    depth: 'subtle',
    links: 'default',
    font: 'Inter',
    monospaceFont: 'IBMPlexMono',
    background: 'plain',
    icons: 'regular',
    sidebar: { background: 'default', list: 'default' },
    codeTheme: { default: defaultCodeTheme, openapi: defaultCodeTheme },
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

/** Groups whose settings are set separately. Any other setting is replaced as a whole. */
const groupPaths: ReadonlySet<string> = new Set([
  ...['styling', 'styling.sidebar', 'styling.codeTheme'],
  ...['internationalization', 'header', 'footer', 'themes', 'pdf', 'feedback', 'ai', 'aiSearch'],
  ...['advancedCustomization', 'git', 'pageActions', 'externalLinks', 'pagination', 'trademark'],
  ...['privacyPolicy', 'socialPreview', 'insights'],
]);

function applyChanges(settings: Settings, changes: Settings, basePath = ''): Settings {
  const changed = { ...settings };
  for (const [name, value] of Object.entries(changes)) {
    const path = `${basePath}${name}`;
    if (value === undefined) continue;
    if (value === null) delete changed[name];
    else if (!groupPaths.has(path)) changed[name] = value;
    else changed[name] = applyChanges((changed[name] ?? {}) as Settings, value as Settings, `${path}.`);
  }
  return changed;
}

/** Applies changes to the current settings. A null in the changes removes the setting. */
export const mergeCustomization = (
  set: CustomizationChanges | undefined,
  changes: CustomizationChanges,
): CustomizationChanges => applyChanges(set ?? {}, changes);

/**
 * Returns the complete customization. Each argument overrides the arguments before it, and the first overrides the
 * defaults.
 */
export const mergeCustomizations = (...set: (CustomizationChanges | undefined | null)[]): SiteCustomization =>
  set.reduce<Settings>(
    (full, each) => applyChanges(full, each ?? {}),
    createDefaultCustomization() as unknown as Settings,
  ) as unknown as SiteCustomization;

/** Functions that decide which links of a customization a visitor sees. */
export interface CustomizationVisibility {
  /** Whether a link's condition holds for the visitor. */
  isConditionMet: (condition: string | undefined) => boolean;
  /** Whether the visitor may see the target of a link. */
  isTargetVisible: (to: SiteLink) => boolean;
}

/** Returns the targets of those links of a customization whose conditions hold. */
export const getLinkTargets = (
  { header, footer, announcement }: SiteCustomization,
  isConditionMet: CustomizationVisibility['isConditionMet'],
): SiteLink[] => [
  ...(header.primaryLink === undefined ? [] : [header.primaryLink]),
  ...header.links
    .filter(({ condition }) => isConditionMet(condition))
    .flatMap(({ to, links }) => [...(to === null ? [] : [to]), ...links.map((link) => link.to)]),
  ...footer.groups.flatMap(({ links }) => links.map(({ to }) => to)),
  ...(announcement?.link === undefined ? [] : [announcement.link.to]),
];

/**
 * Returns the customization for a visitor. It omits links whose condition is not met or whose target is hidden, items
 * without remaining links, and all conditions.
 */
export function toVisibleCustomization(
  { header, footer, announcement, ...settings }: SiteCustomization,
  { isConditionMet, isTargetVisible }: CustomizationVisibility,
): SiteCustomization {
  const { primaryLink, ...head } = header;
  const filterVisible = (links: { title: string; to: SiteLink }[]) => links.filter(({ to }) => isTargetVisible(to));
  const items = header.links.flatMap(({ condition, ...item }) => {
    const to = item.to !== null && isTargetVisible(item.to) ? item.to : null;
    const links = filterVisible(item.links);
    const isEmptied = to === null && links.length === 0 && (item.to !== null || item.links.length > 0);
    return isConditionMet(condition) && !isEmptied ? [{ ...item, to, links }] : [];
  });
  const groups = footer.groups.flatMap((group) => {
    const links = filterVisible(group.links);
    return links.length === 0 && group.links.length > 0 ? [] : [{ ...group, links }];
  });
  return {
    ...settings,
    ...(announcement === undefined ? {} : { announcement: omitHiddenLink(announcement, isTargetVisible) }),
    header: {
      ...head,
      ...(primaryLink !== undefined && isTargetVisible(primaryLink) ? { primaryLink } : {}),
      links: items,
    },
    footer: { ...footer, groups },
  };
}

function omitHiddenLink<Item extends { link?: { to: SiteLink } | undefined }>(
  announcement: Item,
  isLinkVisible: CustomizationVisibility['isTargetVisible'],
): Item {
  const { link, ...rest } = announcement;
  return link === undefined || isLinkVisible(link.to) ? announcement : (rest as Item);
}

type Flags = Pick<CustomizationChanges, 'pdf' | 'git' | 'pageActions'>;

/** Page actions that older clients set with separate flags. */
const flagged: { action: PageAction; isSet: (settings: SiteCustomization) => boolean }[] = [
  { action: 'external-ai', isSet: ({ pageActions }) => pageActions.externalAI },
  { action: 'markdown', isSet: ({ pageActions }) => pageActions.markdown },
  { action: 'git', isSet: ({ git }) => git.showEditLink },
  { action: 'pdf', isSet: ({ pdf }) => pdf.enabled },
];

const toFlags = (items: PageAction[]): Flags => ({
  pageActions: { items, externalAI: items.includes('external-ai'), markdown: items.includes('markdown') },
  git: { showEditLink: items.includes('git') },
  pdf: { enabled: items.includes('pdf') },
});

const areEqual = (one: PageAction[], other: PageAction[]): boolean => one.join() === other.join();

/**
 * Returns changes in which the list of page actions and the flags of older clients agree. If the list changes, the
 * flags are derived from it, otherwise the list is derived from the flags. `before` is the current customization,
 * `after` the one with the changes.
 */
export function alignPageActions(
  changes: CustomizationChanges,
  { before: current, after }: { before: SiteCustomization; after: SiteCustomization },
): CustomizationChanges {
  const { pageActions, git, pdf } = changes;
  if (pageActions == null && git == null && pdf == null) return changes;
  const { items } = after.pageActions;
  if (pageActions?.items != null && !areEqual(items, current.pageActions.items))
    return mergeCustomization(changes, toFlags(items));
  const keptItems = items.filter((item) => flagged.every(({ action, isSet }) => action !== item || isSet(after)));
  const added = flagged.filter(({ action, isSet }) => isSet(after) && !keptItems.includes(action));
  return mergeCustomization(changes, toFlags([...keptItems, ...added.map(({ action }) => action)]));
}
