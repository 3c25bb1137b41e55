import type { SiteCustomization } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { PageHeadings } from './anchors.ts';
import type { ShownNode } from './document.ts';
import { keptResults } from './kept-results.ts';
import type { PageReferences } from './reference/parts.ts';
import type { InterfaceTexts } from './texts/interface-texts.ts';
import type { Sheet } from './theme/styles.ts';
import type { PageView, ShownAddress } from './view.ts';
import { safeAddress } from './view.ts';

/** The languages in which texts of a customization may be given. */
type TextLocale = SiteCustomization['internationalization']['locale'] &
  keyof NonNullable<SiteCustomization['localizedTitle']>;

/** What a component draws with: the page, and how what is inside of it is drawn. */
export interface PageDrawing {
  view: PageView;
  /** Rules of style that a page needs for itself, since no element has styles of its own. */
  sheet: Sheet;
  /** What the page may show in frames, as sources of its policy. */
  frames: Set<string>;
  blocks: (nodes: ShownNode[]) => ComponentChildren;
  inlines: (nodes: ShownNode[]) => ComponentChildren;
  headings: PageHeadings;
  /** The ids of the page's updates. */
  updates: ReadonlyMap<ShownNode, string>;
  /** What the blocks of the page show of specifications. */
  references: PageReferences;
  /** The words of the interface, in the language of the site, and its name in the customization. */
  texts: InterfaceTexts;
  locale: TextLocale;
  /** How the next image is loaded: the first one, which is likely to be seen at once, before the others. */
  loading: () => 'eager' | 'lazy';
  /** A name that no other element of the page has, for what refers to another: the same in each rendering. Ids of ours begin with `~`, which no slug does. */
  id: (prefix: string) => string;
  /** A place that the address of the page may name: the name that is wanted, else it with a number behind. */
  anchor: (name: string) => string;
}

/** A component of a block or an inline. */
export type NodeComponent = (props: { node: ShownNode; at: PageDrawing }) => ComponentChildren;

/** The `href` of an address in a page: places in the site relative to it. Nothing for what may not stand in a page. */
export function hrefOf({ up }: Pick<PageView, 'up'>, to: ShownAddress | undefined): string | undefined {
  const address = to === '' ? '' : safeAddress(to);
  if (address === undefined) return undefined;
  return /^(?:[a-z][a-z\d+.-]*:|#|\/)/i.test(address) ? address : `${up}${address}`;
}

/** What a link has beside its `href`: one to another host opens as the customization says. */
export function targetOf({ site }: Pick<PageView, 'site'>, href: string): { target?: '_blank'; rel?: string } {
  const isOutside = /^https?:/i.test(href) && !href.startsWith(site.url);
  return isOutside && site.look.externalLinks.target === 'blank' ? { target: '_blank', rel: 'noopener' } : {};
}

/** As many forms as all languages of the interface have of each. */
const mostForms = 100;

const formOf = keptResults(mostForms, (form) => {
  const [locale, dateStyle] = JSON.parse(form) as [string, Intl.DateTimeFormatOptions['dateStyle']];
  return new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' });
});

/** The day of a time as a language writes it. @throws RangeError for a time that is none */
export const dayOf = (time: string, locale: string, style: Intl.DateTimeFormatOptions['dateStyle'] = 'long'): string =>
  formOf(JSON.stringify([locale, style])).format(new Date(time));
