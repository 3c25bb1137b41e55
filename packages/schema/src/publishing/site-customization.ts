import * as z from 'zod';
import { charactersOfEmoji } from '../emoji.ts';
import { Timestamp } from '../time.ts';
import {
  Announcement,
  Font,
  FooterGroup,
  HeaderItem,
  ImageUrl,
  localized,
  MonospaceFont,
  SiteLink,
  SocialAccount,
  ThemedCodeTheme,
  ThemedColor,
  ThemedUrl,
} from './customization-parts.ts';
import { SiteTitle } from './site.ts';

export const maxCustomizationBytes = 64 * 1024;

/** How large settings are, as they are stored. */
export const customizationBytes = (settings: object): number =>
  new TextEncoder().encode(JSON.stringify(settings)).length;

const enabled = z.object({ enabled: z.boolean() });
const linked = z.object({ url: ImageUrl.optional() });

const SiteEmoji = z
  .string()
  .max(50)
  .refine((text) => charactersOfEmoji(text) !== undefined, 'must be an emoji or its code points, such as 1f44d');
const Favicon = z.union([
  z.strictObject({ icon: ThemedUrl }),
  z.strictObject({ emoji: SiteEmoji }),
  z.strictObject({}),
]);

export const PageAction = z.enum(['assistant', 'external-ai', 'markdown', 'mcp', 'git', 'pdf']);
export type PageAction = z.infer<typeof PageAction>;

/** What the settings hold that are given as a whole or not at all. */
const single = {
  title: SiteTitle,
  localizedTitle: localized(128),
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

/** What the settings hold in groups, of which each field is given on its own. */
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
    localizedGreeting: localized(256).optional(),
    suggestions: z.array(z.string().min(3).max(64)).max(5).optional(),
  }),
  aiSearch: enabled,
  advancedCustomization: enabled,
  git: z.object({ showEditLink: z.boolean() }),
  pageActions: z.object({ externalAI: z.boolean(), markdown: z.boolean(), items: z.array(PageAction).max(6) }),
  externalLinks: z.object({ target: z.enum(['self', 'blank']) }),
  pagination: enabled,
  trademark: enabled,
  privacyPolicy: linked,
  socialPreview: linked,
  insights: z.object({ trackingCookie: z.boolean() }),
};

/** How a site looks, whole: what nobody set has its default. */
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

/** An object of which each field may be left out, which leaves it as it is, or null, which takes it away. */
const clearable = <Shape extends z.core.$ZodShape>(shape: Shape): z.ZodObject<Clearable<Shape>> =>
  z.object(
    Object.fromEntries(
      Object.entries(shape).map(([name, field]) => [name, z.nullable(field).optional()]),
    ) as Clearable<Shape>,
  );

type ClearableGroups<Groups extends Record<string, z.ZodObject>> = {
  [Name in keyof Groups]: z.ZodOptional<z.ZodNullable<z.ZodObject<Clearable<Groups[Name]['shape']>>>>;
};

const clearableGroups = <Groups extends Record<string, z.ZodObject>>(given: Groups): ClearableGroups<Groups> =>
  Object.fromEntries(
    Object.entries(given).map(([name, group]) => [name, clearable(group.shape).nullable().optional()]),
  ) as ClearableGroups<Groups>;

/** Settings of which any may be left out: null takes away what was set, so that the default, or the site's, counts. */
const changes = z.object({
  ...clearable(single).shape,
  styling: clearable(styling.shape).extend(clearableGroups({ sidebar, codeTheme })).nullable().optional(),
  ...clearableGroups(groups),
});

export const CustomizationChanges = changes.refine(
  (settings) => customizationBytes(settings) <= maxCustomizationBytes,
  `must be at most ${maxCustomizationBytes} bytes of JSON`,
);
export type CustomizationChanges = z.infer<typeof CustomizationChanges>;
