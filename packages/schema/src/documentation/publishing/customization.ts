import type { ResourceDocumentation } from '../documentation.ts';
import { parts, useSameColor } from './customization-parts.ts';

const settings = {
  title: 'The title in the header. If omitted, it is the title of the site.',
  localizedTitle: 'Translations of the title, by language.',
  favicon: 'The icon of the site in browser tabs: images, an emoji, or neither.',
  'favicon.icon': 'The URLs of the images.',
  'favicon.emoji': 'The emoji, or its code points, such as `1f4d8`.',
  announcement: 'The banner above the header.',
  socialAccounts: 'The social accounts to link to.',
  'socialAccounts[].platform': 'The platform of the account.',
  'socialAccounts[].handle': 'The name of the account, or its URL.',
  'socialAccounts[].display': 'The areas of the site that show the account.',
  'socialAccounts[].display.footer': 'Whether the footer shows the account.',
  'socialAccounts[].display.header': 'Whether the header shows the account.',
  styling: 'Colors, fonts and shapes.',
  'styling.theme':
    'The color theme. `muted` has less contrast between areas, `bold` has a header in the primary color, `gradient` ' +
    'has a page that starts in the primary color.',
  'styling.primaryColor': 'The primary color.',
  'styling.tint': 'The tint of backgrounds, borders and text. Absent for neutral grays.',
  'styling.tint.color': 'The color of the tint.',
  'styling.infoColor': 'The color of information hints.',
  'styling.successColor': 'The color of success hints.',
  'styling.warningColor': 'The color of warning hints.',
  'styling.dangerColor': 'The color of danger hints.',
  'styling.corners': 'The shape of corners.',
  'styling.depth': 'Whether elements have subtle shadows.',
  'styling.links':
    'Whether links in body text have the primary color, or the text color with a primary underline (`accent`).',
  'styling.font': 'The font of body text: a built-in font or a custom one.',
  'styling.headingFont': 'The font of headings. If omitted, headings use the font of body text.',
  'styling.monospaceFont': 'The font of code: a built-in font or a custom one.',
  'styling.background': 'Whether backgrounds are neutral or match the primary color.',
  'styling.icons': 'The style of icons.',
  'styling.search':
    'Whether the search field is large and in the middle of the header (`prominent`) or small (`subtle`).',
  'styling.sidebar': 'The style of the sidebar.',
  'styling.sidebar.background': 'Whether the sidebar has a background.',
  'styling.sidebar.list': 'The way in which the current page is highlighted.',
  'styling.codeTheme': 'The color themes of code.',
  'styling.codeTheme.default': 'The theme of code blocks.',
  'styling.codeTheme.openapi': 'The theme of code in API references.',
  internationalization: 'The language of the site.',
  'internationalization.locale': 'The language of the user interface.',
  header: 'The header of the site.',
  'header.preset':
    'The colors of the header. `custom` uses `backgroundColor` and `linkColor`; `none` hides the header.',
  'header.logo': 'The logo. Absent if the header shows the icon and the title.',
  'header.primaryLink': 'The target of the logo. Absent for the root of the site.',
  'header.backgroundColor': 'The background color, with the preset `custom`.',
  'header.linkColor': 'The color of links, with the preset `custom`.',
  'header.links': 'The links and menus in the header, at most 50.',
  footer: 'The footer of the site.',
  'footer.logo': 'The logo in the footer.',
  'footer.groups': 'The groups of links in the footer, at most 20.',
  'footer.copyright': 'The copyright notice.',
  themes: 'The color schemes.',
  'themes.default': 'The color scheme that readers see first. `system` follows the device.',
  'themes.toggeable': 'Whether readers can switch the color scheme.',
  pdf: 'The PDF export.',
  'pdf.enabled': 'Whether readers can download PDFs. Always agrees with `pageActions.items`.',
  feedback: 'The ratings of pages by readers.',
  'feedback.enabled': 'Whether pages have a form with which readers can rate them.',
  ai: 'The AI assistant. Stored for other clients; the built-in site has none.',
  'ai.mode': 'The kind of assistant.',
  'ai.greeting': 'The greeting of the assistant.',
  'ai.localizedGreeting': 'Translations of the greeting, by language.',
  'ai.suggestions': 'Questions that the assistant suggests.',
  aiSearch: 'AI search. Stored for other clients; the built-in site has none.',
  'aiSearch.enabled': 'Whether AI search is enabled.',
  advancedCustomization: 'Advanced customization in editors.',
  'advancedCustomization.enabled': 'Whether editors offer advanced customization.',
  git: 'Links to a git repository.',
  'git.showEditLink':
    'Whether pages link to their source, at `editURL` or in the repository that the space is synced with. ' +
    'Always agrees with `pageActions.items`.',
  'git.editURL':
    'An extension of the GitBook API: the URL at which a source file is edited, with `{path}` for the path of the ' +
    'file in the imported folder. If omitted, it is in the repository that the space is synced with, on known hosts.',
  pageActions: 'The menu of page actions.',
  'pageActions.externalAI': 'Whether the menu opens the page in external AI assistants. Always agrees with `items`.',
  'pageActions.markdown': 'Whether the menu offers the page as Markdown. Always agrees with `items`.',
  'pageActions.items':
    'The actions in the menu, in order. If a request changes the list, the flags of older clients follow it; ' +
    'otherwise the list follows the flags.',
  externalLinks: 'Links to other sites.',
  'externalLinks.target': 'Whether links to other sites open in the same tab (`self`) or in a new one (`blank`).',
  pagination: 'Links to the next and previous page.',
  'pagination.enabled': 'Whether pages link to the next and previous page.',
  trademark: 'The notice of the platform.',
  'trademark.enabled': 'Whether the site shows the notice.',
  privacyPolicy: 'The privacy policy.',
  'privacyPolicy.url': 'The URL of the privacy policy.',
  socialPreview: 'The preview in social media.',
  'socialPreview.url': 'The URL of the preview image.',
  insights: 'Analytics. Stored for other clients; the built-in site has none.',
  'insights.trackingCookie': 'Whether a cookie counts visitors.',
};

/** The complete customization with its defaults and a few settings. */
export const customization = {
  title: 'Acme Docs',
  favicon: { emoji: '1f4d8' },
  socialAccounts: [{ platform: 'github', handle: 'acme', display: { footer: true, header: false } }],
  styling: {
    theme: 'clean',
    primaryColor: { light: '#0f766e', dark: '#5eead4' },
    infoColor: useSameColor('#787878'),
    successColor: useSameColor('#00a63e'),
    warningColor: useSameColor('#fe9a00'),
    dangerColor: useSameColor('#fb2c36'),
    corners: 'rounded',
    depth: 'subtle',
    links: 'default',
    font: 'Inter',
    monospaceFont: 'IBMPlexMono',
    background: 'plain',
    icons: 'regular',
    search: 'subtle',
    sidebar: { background: 'default', list: 'pill' },
    codeTheme: {
      default: { light: 'default-light', dark: 'default-dark' },
      openapi: { light: 'default-light', dark: 'default-dark' },
    },
  },
  internationalization: { locale: 'en' },
  header: {
    preset: 'default',
    links: [{ title: 'Blog', to: { kind: 'url', url: 'https://acme.example/blog' }, links: [] }],
  },
  footer: { groups: [], copyright: '© Acme' },
  themes: { default: 'system', toggeable: true },
  pdf: { enabled: true },
  feedback: { enabled: false },
  ai: { mode: 'none' },
  aiSearch: { enabled: false },
  advancedCustomization: { enabled: true },
  git: { showEditLink: false },
  pageActions: { externalAI: false, markdown: true, items: ['markdown', 'pdf'] },
  externalLinks: { target: 'self' },
  pagination: { enabled: true },
  trademark: { enabled: false },
  privacyPolicy: { url: 'https://acme.example/privacy' },
  socialPreview: {},
  insights: { trackingCookie: false },
  updatedAt: '2026-02-26T10:00:00.000Z',
} as const;

const changesExample = {
  title: 'Acme Docs',
  styling: { primaryColor: { light: '#0f766e', dark: '#5eead4' }, sidebar: { list: 'pill' } },
  themes: { default: 'dark' },
} as const;

const limits =
  'Images and fonts must be HTTPS URLs, or URLs of this server. The settings can have at most 64 KiB as JSON.';

export const customizations: ResourceDocumentation = {
  operations: {
    getSiteCustomizationById: {
      description: 'Returns the complete customization of a site, with defaults for everything that is not set.',
    },
    updateSiteCustomizationById: {
      description: `Replaces the customization of a site. Omitted and null settings get their defaults. ${limits}`,
      body: settings,
      example: { body: changesExample },
    },
    getSiteSpaceCustomizationById: {
      description:
        'Returns the complete customization of a site space: its own settings, and those of the site for ' +
        'everything else.',
    },
    overrideSiteSpaceCustomizationById: {
      description:
        'Changes the own settings of a site space. Omitted settings are unchanged. A null setting, or group of ' +
        `settings, follows the site again. ${limits}`,
      body: settings,
      example: { body: { themes: { default: 'light' }, announcement: null } },
    },
    deleteSiteSpaceCustomizationById: {
      description: 'Removes the own settings of a site space, so that it has the customization of the site.',
    },
  },
  schemas: {
    SiteCustomization: {
      description: 'The complete customization of a site or site space.',
      properties: { ...settings, updatedAt: 'The time of the last change. Absent if nothing was ever set.' },
      example: customization,
    },
    ...parts,
  },
};
