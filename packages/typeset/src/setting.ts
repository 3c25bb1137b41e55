import type { Block } from '@octavo/markdown';
import type { BookPage } from './book.ts';
import type { Flow } from './flow.ts';
import { PICTURE } from './fonts.ts';
import type { Headings } from './headings.ts';
import { colors, type Style } from './ink.ts';
import type { Line, Span } from './line.ts';
import { prepareSpans } from './lines.ts';
import type { LinkEnd } from './paper.ts';
import type { Pictures } from './pictures.ts';

/** The context for setting the blocks of one page. */
export interface Setting {
  flow: Flow;
  pictures: Pictures;
  page: BookPage;
  headings: Headings;
  /** Resolves an address as written. */
  findTarget(address: string): LinkEnd | undefined;
  /** Returns the title of the page at an address. */
  getTitle(address: string): string | undefined;
  /** The style of the surrounding text. Lists and quotes change it. */
  style: Style;
  depth: number;
  /** The number of surrounding lists. */
  lists: number;
  blocks(setting: Setting, nodes: Block[]): Promise<void>;
}

export const body: Style = { size: 10, color: colors.text };
export const getLeading = (style: Style): number => style.size * 1.55;
export const gap = 8;

export async function getLines(setting: Setting, spans: Span[], width?: number): Promise<Line[]> {
  return setting.flow.compose(await prepareText(setting, spans), width);
}

/** Prepares spans and loads their images. A missing image is replaced by its alternative text. */
export async function prepareText({ flow, pictures, page }: Setting, spans: Span[]): Promise<Span[]> {
  const visibleSpans: Span[] = [];
  for (const span of spans) {
    const { figure, text, style } = span;
    const picture = figure && (await pictures.getPicture(page, figure.source));
    if (figure === undefined) visibleSpans.push(span);
    else if (picture === undefined)
      visibleSpans.push({ text: `[${text || figure.source}]`, style: { ...style, color: colors.soft } });
    else visibleSpans.push({ text: PICTURE, style, picture, figure });
  }
  return prepareSpans(flow.fonts, visibleSpans);
}

/** Typesets a text as a paragraph. */
export async function typesetSpans(
  setting: Setting,
  spans: Span[],
  leading = getLeading(setting.style),
): Promise<void> {
  await setting.flow.addLines(await getLines(setting, spans), leading);
}
