import { ids } from '../acme.ts';
import type { SchemaDocumentation } from '../documentation.ts';

export const useSameColor = (color: string) => ({ light: color, dark: color });

const link = { kind: 'page', page: ids.page, space: ids.space } as const;
const contentLink = { title: 'Get started', to: link } as const;
const localizedTitle = 'Translations of the title, by language.';

/** The schemas that the customization of a site consists of. */
export const parts: Record<string, SchemaDocumentation> = {
  Color: { description: 'A color as `#rgb` or `#rrggbb`.', example: '#0f766e' },
  ThemedColor: {
    description: 'A color for each color scheme.',
    properties: { light: 'The color in the light scheme.', dark: 'The color in the dark scheme.' },
    example: { light: '#0f766e', dark: '#5eead4' },
  },
  ThemedUrl: {
    description:
      'The URL of an image for each color scheme. A `downloadURL` of a file, or the URL of a complete upload, is replaced by a permanent URL.',
    properties: { light: 'The image in the light scheme.', dark: 'The image in the dark scheme.' },
    example: {
      light: 'https://images.acme.example/logo.svg',
      dark: 'https://images.acme.example/logo-dark.svg',
    },
  },
  FontDefinition: {
    description: 'A custom font. Its host must allow cross-origin requests (CORS).',
    properties: {
      id: 'An identifier of the font.',
      custom: 'Whether the font is a custom one.',
      fontFamily: 'The name of the font family.',
      fontFaces: 'The weights of the font.',
      'fontFaces[].weight': 'The weight, such as 400 for regular and 700 for bold.',
      'fontFaces[].sources': 'The font files, of which the browser loads the first that it supports.',
      'fontFaces[].sources[].url': 'The URL of the font file.',
      'fontFaces[].sources[].format': 'The format of the font file.',
    },
    example: {
      id: 'acme-sans',
      custom: true,
      fontFamily: 'Acme Sans',
      fontFaces: [{ weight: 400, sources: [{ url: 'https://fonts.acme.example/acme-sans.woff2', format: 'woff2' }] }],
    },
  },
  CodeTheme: { description: 'The name of a color theme for code.', example: 'github-light' },
  ThemedCodeTheme: {
    description: 'A color theme for code in each color scheme.',
    properties: { light: 'The theme in the light scheme.', dark: 'The theme in the dark scheme.' },
    example: { light: 'github-light', dark: 'github-dark' },
  },
  SiteLink: {
    description: 'The target of a link in a site: a URL, or an object with an id.',
    properties: {
      kind: 'The kind of target.',
      url: 'The URL: absolute, relative, or a `mailto:` URL.',
      page: 'The id of the page.',
      space: 'The id of the space. If omitted, it is the space that is shown.',
      anchor: 'The anchor of a heading on the page.',
      file: 'The id of the file.',
      collection: 'The id of the collection.',
      spec: 'The slug of the OpenAPI specification.',
    },
    example: link,
  },
  ContentLink: {
    description: 'A link with a title.',
    properties: { title: 'The text of the link.', localizedTitle, to: 'The target of the link.' },
    example: contentLink,
  },
  HeaderItem: {
    description: 'A link or menu in the header.',
    properties: {
      title: 'The text of the link or menu.',
      localizedTitle,
      style: 'The appearance of the item. If omitted, it is a link.',
      to: 'The target of the link. Null for an item that only opens a menu.',
      links: 'The links in the menu. Empty for a plain link.',
      condition:
        'The expression over the claims of the visitor that must be true for the item to be visible. Visitors do ' +
        'not receive it.',
    },
    example: { title: 'Guides', to: null, links: [contentLink] },
  },
  FooterGroup: {
    description: 'A group of links in the footer.',
    properties: { title: 'The title of the group.', localizedTitle, links: 'The links of the group, at most 50.' },
    example: { title: 'Product', links: [contentLink] },
  },
  Announcement: {
    description: 'A banner above the header of a site.',
    properties: {
      enabled: 'Whether the banner is shown.',
      message: 'The text of the banner.',
      localizedMessage: 'Translations of the text, by language.',
      link: 'A link in the banner. Absent if there is none.',
      style: 'The color of the banner.',
    },
    example: { enabled: true, message: 'Version 2 is available', link: contentLink, style: 'info' },
  },
};
