import * as z from 'zod';
import { SafeUrl } from '../content/pages.ts';
import { Id } from '../ids.ts';
import { TranslationLanguage } from '../org-admin/translations.ts';
import { webAddress } from '../web-address.ts';
import { Condition } from './site.ts';

export const Color = z
  .string()
  .regex(/^#(?:[0-9a-fA-F]{3}){1,2}$/, 'must be a colour such as #aabbcc')
  .meta({ id: 'Color' });
export const ThemedColor = z.object({ light: Color, dark: Color }).meta({ id: 'ThemedColor' });

/** Where an image, or a font, is: it is loaded by whoever reads the site. */
export const ImageUrl = webAddress;
export const ThemedUrl = z.object({ light: ImageUrl, dark: ImageUrl }).meta({ id: 'ThemedUrl' });

/** A text in other languages than the site's own. */
export const localized = (max: number) => z.partialRecord(TranslationLanguage, z.string().max(max));

const FontFace = z.object({
  weight: z.number().min(1).max(1000),
  sources: z
    .array(z.object({ url: ImageUrl, format: z.enum(['woff2', 'woff']).optional() }))
    .min(1)
    .max(4),
});

/** A font that is loaded, beside those that are known by name. */
export const FontDefinition = z
  .object({
    id: z.string().min(1).max(100),
    custom: z.boolean(),
    fontFamily: z.string().regex(/^[\p{L}\p{N} _-]{1,50}$/u, 'must be a name of letters, digits and spaces'),
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

/** Where a link of a site leads: an address, or something that has an id. */
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
  .object({ title: z.string().max(64), localizedTitle: localized(64).optional(), to: SiteLink })
  .meta({ id: 'ContentLink' });

export const HeaderItem = z
  .object({
    title: z.string().max(64),
    localizedTitle: localized(64).optional(),
    style: z.enum(['link', 'button-primary', 'button-secondary']).optional(),
    to: SiteLink.nullable(),
    links: z.array(ContentLink).max(50),
    condition: Condition.optional(),
  })
  .meta({ id: 'HeaderItem' });

export const FooterGroup = z
  .object({ title: z.string().max(64), localizedTitle: localized(64).optional(), links: z.array(ContentLink).max(50) })
  .meta({ id: 'FooterGroup' });

export const Announcement = z
  .object({
    enabled: z.boolean(),
    message: z.string().min(2).max(128),
    localizedMessage: localized(128).optional(),
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
