import type { getTokens } from '@octavo/highlight';
import type { SiteCustomization, WebOrigin } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { OutlineHeading, PageHeadings } from './anchors.ts';
import { cacheResults } from './cache-results.ts';
import type { PageNode } from './document.ts';
import type { PageReferences } from './reference/parts.ts';
import type { InterfaceTexts } from './texts/interface-texts.ts';
import type { StyleSheetBuilder } from './theme/styles.ts';
import type { PageAddress, PageView } from './view.ts';
import { toSafeAddress } from './view.ts';

/** The languages in which texts of a customization may be given. */
type TextLocale = SiteCustomization['internationalization']['locale'] &
  keyof NonNullable<SiteCustomization['localizedTitle']>;

/** The rendered document of a page, with everything that the frame of the page shows of the document. */
export interface RenderedDocument {
  html: string;
  /** The start of its text. */
  summary: string;
  outline: OutlineHeading[];
  /** Additional ids that link to the page's title. */
  titleIds: string[];
  /** The CSS declarations of the classes `s0`, `s1` and so on, in this order. */
  styles: string[];
  frames: FrameSource[];
  hasUpdates: boolean;
  /** Whether it shows a part of an API specification. */
  hasReference: boolean;
}

/** A source that a page may show in frames, for its content security policy. */
export type FrameSource = "'self'" | WebOrigin;

/** Functions that need large libraries. The app loads these libraries only for pages that need them. */
export interface DrawingLibraries {
  highlight: typeof getTokens;
  /** Converts a formula to MathML; undefined if it is invalid. */
  toMathMl: (formula: string, displayMode: boolean) => string | undefined;
  /** The component of blocks that show parts of API specifications. */
  Reference: NodeComponent;
  readReferences: (view: Pick<PageView, 'page' | 'specifications'>) => PageReferences;
  /** Returns the headings of the parts that a block shows. */
  getPartHeadings: (node: PageNode, context: RenderContext) => OutlineHeading[];
}

/** Context of a rendering: the page and the functions that components draw with. */
export interface RenderContext {
  view: PageView;
  libraries: DrawingLibraries;
  /** Style rules of this page. Elements have no `style` attributes. */
  sheet: StyleSheetBuilder;
  frames: Set<FrameSource>;
  /** The rendered document. It is empty while the document is rendered, and on pages without one. */
  document: RenderedDocument;
  blocks: (nodes: PageNode[]) => ComponentChildren;
  inlines: (nodes: PageNode[]) => ComponentChildren;
  headings: PageHeadings;
  /** The ids of the page's updates. */
  updates: ReadonlyMap<PageNode, string>;
  /** The parts of API specifications that the page's blocks show. */
  references: PageReferences;
  /** The interface texts in the site's language, and that language's name in the customization. */
  texts: InterfaceTexts;
  locale: TextLocale;
  /** Returns `eager` for the first image, which is probably visible at once, and `lazy` for the others. */
  loading: () => 'eager' | 'lazy';
  /**
   * Returns an id that is unique in the page and the same in each rendering. It begins with `~`, which no slug does.
   */
  id: (prefix: string) => string;
  /** Returns an anchor for the URL fragment: the given name, with a number if another element has the name. */
  anchor: (name: string) => string;
}

/** A component of a block or an inline. */
export type NodeComponent = (props: { node: PageNode; context: RenderContext }) => ComponentChildren;

/**
 * Returns the `href` for an address in a page, relative to the page if it is in the site. Undefined for unsafe
 * addresses.
 */
export function toHref(
  { relativeRoot }: Pick<PageView, 'relativeRoot'>,
  to: PageAddress | undefined,
): string | undefined {
  const address = to === '' ? '' : toSafeAddress(to);
  if (address === undefined) return undefined;
  return /^(?:[a-z][a-z\d+.-]*:|#|\/)/i.test(address) ? address : `${relativeRoot}${address}`;
}

/** Returns the `target` and `rel` of a link. Links to other hosts open as the customization says. */
export function getLinkTarget({ site }: Pick<PageView, 'site'>, href: string): { target?: '_blank'; rel?: string } {
  const isOutside = /^https?:/i.test(href) && !href.startsWith(site.url);
  return isOutside && site.customization.externalLinks.target === 'blank' ? { target: '_blank', rel: 'noopener' } : {};
}

/** Number of cached date formats, enough for all interface languages. */
const maxFormats = 100;

const getDateFormat = cacheResults(maxFormats, (form) => {
  const [locale, dateStyle] = JSON.parse(form) as [string, Intl.DateTimeFormatOptions['dateStyle']];
  return new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' });
});

/** Formats the date of a timestamp in a language. @throws RangeError if the timestamp is invalid */
export const formatDate = (
  time: string,
  locale: string,
  style: Intl.DateTimeFormatOptions['dateStyle'] = 'long',
): string => getDateFormat(JSON.stringify([locale, style])).format(new Date(time));
