import type { Database, RevisionPoint } from '@octavo/db';
import { readRows } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { runInSlices } from '@octavo/runtime';
import { findAnchoredPages, LinkingText, readLateTexts, toCoverTarget } from '../links/late-links.ts';
import { readForeignLocations } from '../sites/foreign-locations.ts';
import { getAnchors } from '../store/content.ts';
import { hasIncludes } from './included-files.ts';
import type { FormerAnchors, PointReading, ReadText, ReferenceForm, ReferenceReading } from './page-text.ts';
import { getLinkedNode } from './page-text.ts';
import type { ShownPages } from './visibility.ts';

interface ReferenceOptions {
  /** The pages listed with the text. */
  pages?: Node[];
  form?: ReferenceForm;
  /** Whether contents replace their includes. */
  isDereferenced?: boolean;
}

/**
 * Reads the data needed to render the references of a text and of the pages listed with it. Returns the text with the
 * targets and contents that were created later.
 */
export async function readReferences(
  { text, shownPages }: { text: ReadText; shownPages: ShownPages | undefined },
  reading: PointReading,
  { pages = [], form = 'typed', isDereferenced = form === 'typed' }: ReferenceOptions = {},
): Promise<{ references: ReferenceReading; text: ReadText }> {
  const { space, urls, visitor } = reading;
  const listedPages = pages.filter(({ id }) => shownPages?.has(id) !== false);
  const isLate =
    form !== 'written' ||
    shownPages?.hasConditions === true ||
    (isDereferenced && [text, ...text.contents.values()].some(hasIncludes));
  const lateReading = { ...reading, lineage: JSON.stringify(reading.point.lineage), shownPages, missing: text.missing };
  const linking = { texts: [new LinkingText(text)], contents: text.contents, covers: listedPages.map(toCoverTarget) };
  const late = isLate
    ? await readLateTexts(linking, lateReading)
    : { linkedNodes: undefined, shownPages, contents: text.contents, texts: undefined };
  const linkedText = { ...text, node: getLinkedNode(text.node, late), contents: late.contents };
  const texts = late.texts ?? [text, ...text.contents.values()].map((each) => new LinkingText(each));
  const foreignLocations =
    visitor && (await readForeignLocations({ texts, pages: listedPages }, { ...reading, visitor }));
  const anchors = form === 'written' && visitor === undefined ? undefined : await readFormerAnchors(texts, reading);
  const references = {
    space,
    urls,
    foreignLocations,
    anchors,
    linkedNodes: late.linkedNodes,
    shownPages: late.shownPages,
  };
  return { references, text: linkedText };
}

/**
 * Reads the former anchors of the pages that texts link to with an anchor. One round trip, none if no text has such a
 * link; rows read are proportional to the links.
 */
async function readFormerAnchors(
  texts: LinkingText[],
  { db, point }: { db: Database; point: RevisionPoint },
): Promise<FormerAnchors> {
  const pages = await runInSlices(findAnchoredPages(texts));
  if (pages.size === 0) return new Map();
  const rows = await readRows(db, getAnchors(point, pages));
  return new Map(rows.map(({ id, anchors }) => [id, JSON.parse(anchors) as NonNullable<Node['anchors']>]));
}
