import * as z from 'zod';
import { SafeUrl } from '../content/pages.ts';
import { toEmojiCharacters } from '../emoji.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { TranslationLanguage } from '../org-admin/translations.ts';
import { describeBytes } from '../text.ts';
import { Timestamp } from '../time.ts';
import { webAddress } from '../web-address.ts';
import { toWebOrigin } from '../web-origin.ts';
import { Condition, SiteTitle } from './site.ts';

export const Color = z
  .string()
  .regex(/^#(?:[0-9a-fA-F]{3}){1,2}$/, 'must be a hex color such as #aabbcc')
  .meta({ id: 'Color' });
export const ThemedColor = z.object({ light: Color, dark: Color }).meta({ id: 'ThemedColor' });

/** The URL of an image or a font, which the reader's browser loads. */
export const ImageUrl = webAddress;
export const ThemedUrl = z.object({ light: ImageUrl, dark: ImageUrl }).meta({ id: 'ThemedUrl' });

/** Returns the schema of a text's translations into other languages than the site's own. */
export const createLocalizedText = (max: number) => z.partialRecord(TranslationLanguage, z.string().max(max));

const FontFace = z.object({
  weight: z.number().min(1).max(1000),
  sources: z
    .array(z.object({ url: ImageUrl, format: z.enum(['woff2', 'woff']).optional() }))
    .min(1)
    .max(4),
});

/** A custom font, in addition to the built-in ones. */
export const FontDefinition = z
  .object({
    id: z.string().min(1).max(100),
    custom: z.boolean(),
    fontFamily: z.string().regex(/^[\p{L}\p{N} _-]{1,50}$/u, 'must contain only letters, digits and spaces'),
    fontFaces: z.array(FontFace).min(1).max(20),
  })
  .meta({ id: 'FontDefinition' });

export const Font = z.union([
  z.enum([
    ...['ABCFavorit', 'Inter', 'Roboto', 'RobotoSlab', 'OpenSans', 'SourceSansPro', 'Lato', 'Ubuntu', 'Raleway'],
    ...['Merriweather', 'Overpass', 'NotoSans', 'IBMPlexSerif', 'Poppins', 'FiraSans'],
  ] as const),
  FontDefinition,
]);

export const MonospaceFont = z.union([
  z.enum([
    ...['FiraCode', 'IBMPlexMono', 'JetBrainsMono', 'SourceCodePro', 'RobotoMono', 'SpaceMono', 'DMMono'],
    'Inconsolata',
  ] as const),
  FontDefinition,
]);

const codeThemes =
  'default-light default-dark monochrome-light monochrome-dark andromeeda aurora-x ayu-dark catppuccin-frappe catppuccin-latte catppuccin-macchiato catppuccin-mocha dark-plus dracula dracula-soft everforest-dark everforest-light github-dark github-dark-default github-dark-dimmed github-dark-high-contrast github-light github-light-default github-light-high-contrast gruvbox-dark-hard gruvbox-dark-medium gruvbox-dark-soft gruvbox-light-hard gruvbox-light-medium gruvbox-light-soft houston kanagawa-dragon kanagawa-lotus kanagawa-wave laserwave light-plus material-theme material-theme-darker material-theme-lighter material-theme-ocean material-theme-palenight min-dark min-light monokai night-owl nord one-dark-pro one-light plastic poimandres red rose-pine rose-pine-dawn rose-pine-moon slack-dark slack-ochin snazzy-light solarized-dark solarized-light synthwave-84 tokyo-night vesper vitesse-black vitesse-dark vitesse-light';

export const CodeTheme = z.enum(codeThemes.split(' ')).meta({ id: 'CodeTheme' });
export const ThemedCodeTheme = z.object({ light: CodeTheme, dark: CodeTheme }).meta({ id: 'ThemedCodeTheme' });

/** The target of a link in a site: a URL, or an object with an id. */
export const SiteLink = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('url'), url: SafeUrl }),
    z.object({ kind: z.literal('page'), page: Id, space: Id.optional() }),
    z.object({
      kind: z.literal('anchor'),
      anchor: z.string().min(1).max(256),
      page: Id.optional(),
      space: Id.optional(),
    }),
    z.object({ kind: z.literal('space'), space: Id }),
    z.object({ kind: z.literal('file'), file: Id, space: Id.optional() }),
    z.object({ kind: z.literal('collection'), collection: Id }),
    z.object({ kind: z.literal('openapi'), spec: z.string().min(1).max(100) }),
  ])
  .meta({ id: 'SiteLink' });
export type SiteLink = z.infer<typeof SiteLink>;

export const ContentLink = z
  .object({ title: z.string().max(64), localizedTitle: createLocalizedText(64).optional(), to: SiteLink })
  .meta({ id: 'ContentLink' });

export const HeaderItem = z
  .object({
    title: z.string().max(64),
    localizedTitle: createLocalizedText(64).optional(),
    style: z.enum(['link', 'button-primary', 'button-secondary']).optional(),
    to: SiteLink.nullable(),
    links: z.array(ContentLink).max(50),
    condition: Condition.optional(),
  })
  .meta({ id: 'HeaderItem' });

export const FooterGroup = z
  .object({
    title: z.string().max(64),
    localizedTitle: createLocalizedText(64).optional(),
    links: z.array(ContentLink).max(50),
  })
  .meta({ id: 'FooterGroup' });

export const Announcement = z
  .object({
    enabled: z.boolean(),
    message: z.string().min(2).max(128),
    localizedMessage: createLocalizedText(128).optional(),
    link: ContentLink.optional(),
    style: z.enum(['info', 'warning', 'danger', 'success']),
  })
  .meta({ id: 'Announcement' });

const platforms = [
  ...['twitter', 'instagram', 'facebook', 'linkedin', 'github', 'discord', 'slack', 'youtube'],
  ...['tiktok', 'reddit', 'bluesky', 'mastodon', 'threads', 'medium'],
] as const;

export const SocialAccount = z.object({
  platform: z.enum(platforms),
  handle: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[^\p{Cc}\s<>"'`]*$/u, 'must be one word'),
  display: z.object({ footer: z.boolean().default(true), header: z.boolean().default(false) }).prefault({}),
});

export const maxCustomizationBytes = 64 * 1024;

/** Returns the size of the stored settings, in bytes. */
export const countCustomizationBytes = (settings: object): number =>
  new TextEncoder().encode(JSON.stringify(settings)).length;

const enabled = z.object({ enabled: z.boolean() });
const linkedImage = z.object({ url: ImageUrl.optional() });

const SiteEmoji = z
  .string()
  .max(50)
  .refine((text) => toEmojiCharacters(text) !== undefined, 'must be an emoji or its code points, such as 1f44d');
const Favicon = z.union([
  z.strictObject({ icon: ThemedUrl }),
  z.strictObject({ emoji: SiteEmoji }),
  z.strictObject({}),
]);

export const PageAction = z.enum(['assistant', 'external-ai', 'markdown', 'mcp', 'git', 'pdf']);
export type PageAction = z.infer<typeof PageAction>;

/** The URL of the page on which a source file is edited, with `{path}` for the path of the file. */
const EditUrl = z
  .string()
  .max(2048)
  .refine((url) => url.split('{path}').length === 2, 'must contain {path} once')
  .refine((url) => hasPathAfterHost(url), 'must be a web address with {path} after the host');

/** Whether the path that replaces `{path}` cannot change the host of the URL. */
const hasPathAfterHost = (url: string): boolean => {
  const [one, other] = ['a', 'b/c'].map((path) => toWebOrigin(url.replace('{path}', path)));
  return one !== undefined && one === other;
};

/** Settings that are set as a whole. */
const single = {
  title: SiteTitle,
  localizedTitle: createLocalizedText(128),
  favicon: Favicon,
  announcement: Announcement,
  socialAccounts: z.array(SocialAccount).max(10),
};

const sidebar = z.object({ background: z.enum(['default', 'filled']), list: z.enum(['default', 'pill', 'line']) });
const codeTheme = z.object({ default: ThemedCodeTheme, openapi: ThemedCodeTheme });

const styling = z.object({
  theme: z.enum(['clean', 'muted', 'bold', 'gradient']),
  primaryColor: ThemedColor,
  tint: z.object({ color: ThemedColor }).optional(),
  infoColor: ThemedColor,
  successColor: ThemedColor,
  warningColor: ThemedColor,
  dangerColor: ThemedColor,
  corners: z.enum(['straight', 'rounded', 'circular']),
  depth: z.enum(['subtle', 'flat']),
  links: z.enum(['default', 'accent']),
  font: Font,
  headingFont: Font.optional(),
  monospaceFont: MonospaceFont,
  background: z.enum(['plain', 'match']),
  icons: z.enum(['regular', 'solid', 'duotone', 'light', 'thin']),
  search: z.enum(['prominent', 'subtle']),
});

/** Groups of settings whose fields are set separately. */
const groups = {
  internationalization: z.object({ locale: z.enum(['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru']) }),
  header: z.object({
    preset: z.enum(['default', 'bold', 'contrast', 'custom', 'none']),
    logo: ThemedUrl.optional(),
    primaryLink: SiteLink.optional(),
    backgroundColor: ThemedColor.optional(),
    linkColor: ThemedColor.optional(),
    links: z.array(HeaderItem).max(50),
  }),
  footer: z.object({
    logo: ThemedUrl.optional(),
    groups: z.array(FooterGroup).max(20),
    copyright: z.string().max(512).optional(),
  }),
  themes: z.object({ default: z.enum(['light', 'dark', 'system']), toggeable: z.boolean() }),
  pdf: enabled,
  feedback: enabled,
  ai: z.object({
    mode: z.enum(['none', 'search', 'assistant']),
    greeting: z.string().max(256).optional(),
    localizedGreeting: createLocalizedText(256).optional(),
    suggestions: z.array(z.string().min(3).max(64)).max(5).optional(),
  }),
  aiSearch: enabled,
  advancedCustomization: enabled,
  /** `editURL` is an extension of the GitBook API. */
  git: z.object({ showEditLink: z.boolean(), editURL: EditUrl.optional() }),
  pageActions: z.object({ externalAI: z.boolean(), markdown: z.boolean(), items: z.array(PageAction).max(6) }),
  externalLinks: z.object({ target: z.enum(['self', 'blank']) }),
  pagination: enabled,
  trademark: enabled,
  privacyPolicy: linkedImage,
  socialPreview: linkedImage,
  insights: z.object({ trackingCookie: z.boolean() }),
};

/** The complete customization of a site, with defaults for everything that is not set. */
export const SiteCustomization = z
  .object({
    ...{ title: single.title.optional(), localizedTitle: single.localizedTitle.optional() },
    ...{ favicon: single.favicon, announcement: single.announcement.optional(), socialAccounts: single.socialAccounts },
    styling: styling.extend({ sidebar, codeTheme }),
    ...groups,
    updatedAt: Timestamp.optional(),
  })
  .meta({ id: 'SiteCustomization' });
export type SiteCustomization = z.infer<typeof SiteCustomization>;

type Clearable<Shape extends z.core.$ZodShape> = {
  [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>>;
};

/**
 * Returns the schema of an object whose fields can be omitted or null. An omitted field is unchanged; null removes the
 * field.
 */
const makeClearable = <Shape extends z.core.$ZodShape>(shape: Shape): z.ZodObject<Clearable<Shape>> =>
  z.object(
    Object.fromEntries(
      Object.entries(shape).map(([name, field]) => [name, z.nullable(field).optional()]),
    ) as Clearable<Shape>,
  );

type ClearableGroups<Groups extends Record<string, z.ZodObject>> = {
  [Name in keyof Groups]: z.ZodOptional<z.ZodNullable<z.ZodObject<Clearable<Groups[Name]['shape']>>>>;
};

const makeGroupsClearable = <Groups extends Record<string, z.ZodObject>>(groups: Groups): ClearableGroups<Groups> =>
  Object.fromEntries(
    Object.entries(groups).map(([name, group]) => [name, makeClearable(group.shape).nullable().optional()]),
  ) as ClearableGroups<Groups>;

/**
 * Changes to the settings. Omitted settings stay unchanged. Null removes a setting, so that the default or the site's
 * setting applies.
 */
const changes = z.object({
  ...makeClearable(single).shape,
  styling: makeClearable(styling.shape).extend(makeGroupsClearable({ sidebar, codeTheme })).nullable().optional(),
  ...makeGroupsClearable(groups),
});

export const CustomizationChanges = changes.refine(
  (settings) => countCustomizationBytes(settings) <= maxCustomizationBytes,
  `must have at most ${describeBytes(maxCustomizationBytes)} as JSON`,
);
export type CustomizationChanges = z.infer<typeof CustomizationChanges>;

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ siteSpaceId: Id });

export const customizationEndpoints = contract({
  getSiteCustomizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/customization',
    summary: 'Get the customization of a site',
    access: { site: 'view' },
    scope: 'site:read',
    params: siteParams,
    response: SiteCustomization,
    success: 200,
  },
  updateSiteCustomizationById: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/sites/:siteId/customization',
    summary: 'Replace the customization of a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params: siteParams,
    body: CustomizationChanges,
    response: SiteCustomization,
    success: 200,
  },
  getSiteSpaceCustomizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization',
    summary: 'Get the customization of a site space',
    access: { site: 'view' },
    scope: 'site:read',
    params,
    response: SiteCustomization,
    success: 200,
  },
  overrideSiteSpaceCustomizationById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization',
    summary: 'Change the customization of a site space',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: CustomizationChanges,
    response: SiteCustomization,
    success: 200,
  },
  deleteSiteSpaceCustomizationById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization',
    summary: 'Reset the customization of a site space',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    success: 205,
  },
});
