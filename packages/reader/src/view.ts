import type { DocumentPage, PageLayout, SiteCustomization } from '@octavo/schema';
import type { JsonObject } from '@octavo/specification';
import type { ShownDocument, ShownNode } from './document.ts';

/** Something that has a name and leads somewhere. */
export interface Linked {
  title: string;
  to: ShownAddress;
  icon?: string | undefined;
  emoji?: string | undefined;
  isCurrent?: boolean;
}

/** A page, a group of pages or a link in the navigation. */
export interface NavigationNode {
  kind: 'page' | 'group' | 'link';
  title: string;
  /** Absent of a group, which leads nowhere. */
  to?: ShownAddress;
  icon?: string | undefined;
  emoji?: string | undefined;
  /** Of an operation, and of what a webhook sends. */
  method?: string | undefined;
  /** Whether this is the page that is read. */
  isCurrent?: boolean;
  /** Whether the page that is read is below: then it stands open. */
  isOpen?: boolean;
  children: NavigationNode[];
}

/** A section of the site as a tab; a group of them has its sections and links as `children`, and leads nowhere itself. */
export interface SectionTab extends Omit<Linked, 'to'> {
  to?: ShownAddress;
  children: SectionTab[];
}

/** The files that the frame loads, by their addresses below the site's (`~/assets/site.0a1b2c.css`). */
export interface AssetAddresses {
  style: ShownAddress;
  script: ShownAddress;
  /** Where the icon of a name is; undefined where there is no such icon. Append `#icon` to use it. */
  icon: (name: string, style: SiteCustomization['styling']['icons']) => ShownAddress | undefined;
  /** Any other file of the reader, by its name before the hash (`mermaid.js`, `inter.woff2`). */
  file: (name: string) => ShownAddress | undefined;
}

export interface SiteView {
  title: string;
  /** The canonical address of the site, with a slash at the end. */
  url: string;
  /** A BCP 47 tag, of what is read. */
  language: string;
  direction: 'ltr' | 'rtl';
  look: SiteCustomization;
  /** Whether search engines may index the site. */
  isIndexed: boolean;
  /** Whether AI agents are given the site. */
  isForAgents: boolean;
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
  /** Whether search engines may index the page. */
  isIndexed: boolean;
  document: ShownDocument;
  /** Whether nobody wrote it: it stands for a part of a specification, or comes from an integration. */
  isMade?: boolean;
  /** Where the parts of specifications that it names have pages of their own: then it lists them. */
  places?: ReadonlyMap<ShownNode, ShownAddress>;
}

/** A published page as a value: all that is drawn, and nothing that the visitor is not shown. */
export interface PageView {
  site: SiteView;
  assets: AssetAddresses;
  /** From the page's address to that of the site: `./`, `../`, `../../`. */
  up: string;
  /** The place of the page in the site. */
  at: ShownAddress;
  /** The place of the space that the page is of, in the site: '' or ending in a slash. */
  base: ShownAddress;
  canonicalUrl: string;
  alternates: { language?: string | undefined; to: ShownAddress }[];
  sections: SectionTab[];
  /** The other site spaces of the same section, this one among them: versions or languages. */
  variants: Linked[];
  breadcrumbs: Linked[];
  navigation: NavigationNode[];
  previous?: Linked | undefined;
  next?: Linked | undefined;
  page: PageContent;
  /** The parts of specifications that blocks of the page name, by the slugs of these: each is a document that holds no more. */
  specifications: Record<string, JsonObject>;
  /** What a reference of the document, or of the customization, leads to for this visitor. */
  resolve: ResolveReference;
}

/** What a site is called in the language that it is drawn in, by its customization, else by itself. */
export function siteTitleOf({ title, localizedTitle, internationalization }: SiteCustomization, own: string): string {
  const named = new Map<string, string | undefined>(Object.entries(localizedTitle ?? {}));
  return named.get(internationalization.locale) ?? title ?? own;
}

/**
 * Where something leads: a place in the site (`guides/install#first`, '' for its root), as it stands after the address of
 * the site, percent-encoded; or a whole address (`https://…`, `mailto:…`); or a place in the same page (`#first`).
 * Places in the site are drawn relative to the page, so that a page is the same wherever its site is mounted.
 */
export type ShownAddress = string;

/** What a reference leads to for the visitor. */
export interface Resolved {
  to: ShownAddress;
  title?: string | undefined;
  description?: string | undefined;
  icon?: string | undefined;
  emoji?: string | undefined;
  /** Where it is a file. */
  file?: {
    name: string;
    contentType: string;
    /** Bytes. */
    size: number;
    /** Pixels of an image. */
    dimensions?: { width: number; height: number } | undefined;
  };
}

/** Undefined for what the visitor is not shown, or what there is not. */
export type ResolveReference = (reference: unknown) => Resolved | undefined;

const safe = /^(?:https?:|mailto:|tel:|#|\/|[^:]*$)/i;

/**
 * An address as it may stand in a page: of the web, mail, a telephone, or relative; undefined for all others. Browsers drop
 * control characters and white space around an address, which could hide a scheme.
 */
export function safeAddress(address: string | undefined): string | undefined {
  const plain = address?.replace(/[\p{Cc}\s]+/gu, (found) => (/^[\p{Cc}]*$/u.test(found) ? '' : '%20')).trim();
  return plain !== undefined && plain !== '' && safe.test(plain) ? plain : undefined;
}

/** An address as it is read where nothing else names it. */
export function shortAddress(address: ShownAddress): string {
  const { host, pathname, search } = URL.parse(address) ?? {};
  return host === undefined || host === '' ? address : `${host}${pathname}${search}`.replace(/\/$/, '');
}
