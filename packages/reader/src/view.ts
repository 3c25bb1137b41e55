import type { DocumentPage, PageLayout, SiteCustomization } from '@octavo/schema';
import type { JsonObject } from '@octavo/specification';
import type { PageNode, ShownDocument } from './document.ts';

/** A title with a link. */
export interface TitledLink {
  title: string;
  to: PageAddress;
  icon?: string | undefined;
  emoji?: string | undefined;
  isCurrent?: boolean;
}

/** A page, a group of pages or a link in the navigation. */
export interface NavigationNode {
  kind: 'page' | 'group' | 'link';
  title: string;
  /** Absent for a group, which has no link. */
  to?: PageAddress;
  icon?: string | undefined;
  emoji?: string | undefined;
  /** HTTP method. Set for operations and webhooks. */
  method?: string | undefined;
  /** Whether this is the current page. */
  isCurrent?: boolean;
  /** Whether it contains the current page and is therefore expanded. */
  isOpen?: boolean;
  children: NavigationNode[];
}

/** A section of the site as a tab. A group has its sections and links as `children` and no link of its own. */
export interface SectionTab extends Omit<TitledLink, 'to'> {
  to?: PageAddress;
  children: SectionTab[];
}

/**
 * URLs of the files that the page frame loads, at the root of the host (`/~/assets/site.0a1b2c.css`) or relative to the
 * site.
 */
export interface AssetAddresses {
  style: PageAddress;
  script: PageAddress;
  /** Returns the URL of an icon; undefined if no icon has this name. Append `#icon` to use it. */
  icon: (name: string, style: SiteCustomization['styling']['icons']) => PageAddress | undefined;
  /** Returns the URL of another file of the reader, by its name without hash (`mermaid.js`, `inter.woff2`). */
  file: (name: string) => PageAddress | undefined;
}

export interface SiteView {
  title: string;
  /** The canonical URL of the site, with a trailing slash. */
  url: string;
  /** BCP 47 tag of the content. */
  language: string;
  direction: 'ltr' | 'rtl';
  customization: SiteCustomization;
  /** Whether search engines may index the site. */
  isIndexed: boolean;
  /** Whether AI agents may read the site. */
  isForAgents: boolean;
  /** Whether readers can rate pages. */
  isRatable: boolean;
}

interface PageContent {
  id: string;
  title: string;
  description?: string | undefined;
  emoji?: string | undefined;
  icon?: string | undefined;
  cover?: DocumentPage['cover'];
  layout: PageLayout;
  /** ISO 8601. */
  updatedAt?: string | undefined;
  /**
   * The source file of the page, and the URL for editing a file in its repository. `{path}` in this URL is replaced by
   * the path of the file.
   */
  source?: { path: string; editUrl: string | undefined } | undefined;
  /** Whether search engines may index the page. */
  isIndexed: boolean;
  document: ShownDocument;
  /** Whether the page is generated from a specification or computed by an integration. */
  isGenerated?: boolean;
  /** For each block that lists a specification part: the address of the part's own page. */
  addressesByNode?: ReadonlyMap<PageNode, PageAddress>;
}

/** The banner of a preview of a change request or a revision. */
export interface SitePreview {
  /** Absent for a revision. */
  changeRequest?: { number: number; subject: string } | undefined;
  /** The changed pages. Deleted ones have no link. */
  pages: { title: string; to?: PageAddress | undefined; kinds: ('added' | 'edited' | 'moved' | 'deleted')[] }[];
  /** Whether `pages` contains all changed pages. */
  isComplete: boolean;
  /** The path of the published page, or of its space if the page is not published at the same path. */
  exit: PageAddress;
}

/** A published page with everything needed to render it, and nothing that is hidden from the visitor. */
export interface PageView {
  site: SiteView;
  assets: AssetAddresses;
  /** Relative path from the page to the site's root: `./`, `../`, `../../`. */
  relativeRoot: string;
  /** The path of the page in the site. */
  address: PageAddress;
  /** The path of the page's space in the site: '' or ending in a slash. */
  base: PageAddress;
  canonicalUrl: string;
  alternates: { language?: string | undefined; to: PageAddress }[];
  preview?: SitePreview | undefined;
  sections: SectionTab[];
  /** All site spaces of the same section, including this one: versions or languages. */
  variants: TitledLink[];
  breadcrumbs: TitledLink[];
  navigation: NavigationNode[];
  previous?: TitledLink | undefined;
  next?: TitledLink | undefined;
  page: PageContent;
  /**
   * Excerpts of the specifications that blocks of the page show, by slug. Each excerpt contains only the parts that are
   * shown.
   */
  specifications: Record<string, JsonObject>;
  /** Resolves a reference of the document or customization for this visitor. */
  resolve: ResolveReference;
}

/** Returns the title of the site in its language: from the customization, else the site's own. */
export function getSiteTitle(
  { title, localizedTitle, internationalization }: SiteCustomization,
  defaultTitle: string,
): string {
  const titlesByLocale = new Map<string, string | undefined>(Object.entries(localizedTitle ?? {}));
  return titlesByLocale.get(internationalization.locale) ?? title ?? defaultTitle;
}

/**
 * A link target: a percent-encoded path in the site (`guides/install#first`, '' for its root), an absolute URL
 * (`https://…`, `mailto:…`), or a fragment of the same page (`#first`). Paths in the site are rendered relative to the
 * page, so that a page is the same wherever its site is mounted.
 */
export type PageAddress = string;

/** A reference resolved for the visitor. */
export interface ResolvedReference {
  to: PageAddress;
  title?: string | undefined;
  description?: string | undefined;
  icon?: string | undefined;
  emoji?: string | undefined;
  /** Set for files. */
  file?: {
    name: string;
    contentType: string;
    /** Bytes. */
    size: number;
    /** Pixels of an image. */
    dimensions?: { width: number; height: number } | undefined;
  };
}

/** Undefined if the target does not exist or the visitor may not see it. */
export type ResolveReference = (reference: unknown) => ResolvedReference | undefined;

const safe = /^(?:https?:|mailto:|tel:|#|\/|[^:]*$)/i;

/**
 * Returns an address that is safe in a page (http, https, mailto, tel or relative), else undefined. Browsers drop
 * control characters and white space around an address, which could hide a scheme.
 */
export function toSafeAddress(address: string | undefined): string | undefined {
  const plain = address?.replace(/[\p{Cc}\s]+/gu, (match) => (/^[\p{Cc}]*$/u.test(match) ? '' : '%20')).trim();
  return plain !== undefined && plain !== '' && safe.test(plain) ? plain : undefined;
}

/** Returns the shortened address that is shown for a link without text. */
export function shortenAddress(address: PageAddress): string {
  const { host, pathname, search } = URL.parse(address) ?? {};
  return host === undefined || host === '' ? address : `${host}${pathname}${search}`.replace(/\/$/, '');
}
