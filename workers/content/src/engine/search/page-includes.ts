import type { Database, Statement } from '@octavo/db';
import { fromQuery, prepareStatement, readRows, searchIncludes, selection, splitIntoJson } from '@octavo/db';
import type { Section } from '@octavo/markdown';
import { getSectionsInSteps } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { maxPagesPerEvent } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { expandText, hasIncludes, LinkingText, readLateTexts } from '../links/late-links.ts';
import { getIncludedAddresses } from '../links/targets.ts';
import type { IncludedContent } from '../store/content.ts';
import { findIncludeTarget, maxContents, queryContentsOfPage, toContents } from '../store/content.ts';
import { unknownContent } from '../store/revisions.ts';

/** A page with its text. */
interface PageText {
  node: Node;
  markdown: string;
}

/** The sections of a page with the texts that it includes. */
export interface ReadSections {
  sections: Section[];
  /**
   * The ids of the reusable contents that the page includes, directly or through other contents, and `unknownContent`
   * if an include was not found. Contents that are too long to be included are listed too.
   */
  included: string[];
  /** Whether the sections contain included texts. */
  hasTexts: boolean;
}

type Contents = ReadonlyMap<string, IncludedContent>;

/** Maximum number of pages whose contents are in memory at once. */
const maxPages = 5;

/** The content from which pages and the texts that they include are read. */
export interface ContentOrigin {
  space: SpaceId;
  lineage: SQL | string;
  urls: Urls;
  /** Limits of the included texts that are read. Pages beyond the limits are indexed without included texts. */
  includeLimits?: IncludeLimits;
}

interface IncludeLimits {
  /** Maximum number of pages whose included texts are read. */
  pages: number;
  /** Maximum length of these texts, on all pages together. */
  length: number;
}

/**
 * Reads the sections of those pages that include texts, by page. It runs one query for each of these pages, and a few
 * more for each page with an include that was not found when the page was written.
 */
export async function readIncludingSections(
  db: Database,
  pages: PageText[],
  origin: ContentOrigin,
): Promise<Map<string, ReadSections>> {
  const read = new Map<string, ReadSections>();
  const limits = origin.includeLimits ?? { pages: pages.length, length: Number.POSITIVE_INFINITY };
  const including = pages.filter(hasIncludes).slice(0, limits.pages);
  let rest = limits.length;
  for (let start = 0; start < including.length; start += maxPages) {
    const some = including.slice(start, start + maxPages);
    const contents = await Promise.all(
      some.map(({ node }) => readRows(db, queryContentsOfPage(origin.lineage, node.id)).then(toContents)),
    );
    for (const [index, page] of some.entries()) {
      const sections = await readSections(db, { page, contents: contents[index] ?? new Map() }, { ...origin, rest });
      if (sections === undefined) continue;
      rest -= sections.length;
      read.set(page.node.id, sections);
    }
  }
  return read;
}

interface Texts {
  page: PageText;
  contents: Contents;
}

/** Reads the sections of a page; undefined if its contents are longer than `rest`. */
async function readSections(
  db: Database,
  recorded: Texts,
  { space, lineage, urls, rest }: ContentOrigin & { rest: number },
): Promise<(ReadSections & { length: number }) | undefined> {
  const { page, contents } = recorded;
  if (getLength(contents) > rest) return undefined;
  const first = await buildSections(recorded);
  if (first.unknown.size === 0) return toReadSections(contents, first);
  const texts = [new LinkingText(page, { targets: [...first.unknown.keys()] })];
  const reading = { db, lineage, space, urls, shownPages: undefined };
  const late = await readLateTexts({ texts, contents }, reading);
  if (getLength(late.contents) > rest) return undefined;
  const node = late.linkedNodes.get(page.node.id) ?? page.node;
  return toReadSections(late.contents, await buildSections({ page: { ...page, node }, contents: late.contents }));
}

interface BuiltSections {
  sections: Section[];
  /** The addresses of includes that were not found, each with the id of its content, if known. */
  unknown: ReadonlyMap<string, string | undefined>;
}

/** Builds the sections of a text as readers see it. Includes in the syntax of other tools are inserted first. */
async function buildSections({ page, contents }: Texts): Promise<BuiltSections> {
  const unknown = new Map<string, string | undefined>();
  const createFinder = (node: Node) => (address: string) => {
    const id = findIncludeTarget(node, address);
    if (id === undefined || !contents.has(id)) unknown.set(address, id);
    return id;
  };
  for (const address of getIncludedAddresses(page.node, page.markdown)) createFinder(page.node)(address);
  const { node, markdown } = expandText(page, contents);
  const steps = getSectionsInSteps(markdown, {
    findTarget: createFinder(node),
    contents: new Map(
      [...contents].map(([id, content]) => [id, { ...content, findTarget: createFinder(content.node) }]),
    ),
  });
  return { sections: await runInSlices(steps), unknown };
}

const getLength = (contents: Contents): number =>
  contents.values().reduce((sum, { markdown }) => sum + markdown.length, 0);

function toReadSections(contents: Contents, { sections, unknown }: BuiltSections): ReadSections & { length: number } {
  const absent = [...new Set(unknown.values())]
    .flatMap((id) => (id?.startsWith('rc_') === true ? id : []))
    .slice(0, maxContents);
  return {
    sections,
    // Counts the sections and not the contents, because a text can be included several times.
    length: sections.reduce((sum, { text }) => sum + text.length, 0),
    included: [...contents.keys(), ...absent, ...(unknown.size === 0 ? [] : [unknownContent])],
    hasTexts: contents.size > 0,
  };
}

/** A reusable content that a page includes. */
type Inclusion = [content: string, page: string];

/**
 * Returns the statements that store which pages include contents. Inclusions that are already stored are not written.
 */
export const writeInclusions = (db: Database, space: SpaceId, inclusions: Inclusion[]): Statement[] =>
  splitIntoJson(inclusions).map((json) =>
    db.run(sql`INSERT INTO search_includes (space, content, page)
      SELECT o.id, value->>0, value->>1 FROM json_each(${json})
      CROSS JOIN spaces o ON o.id = ${space} AND o.purging_at IS NULL WHERE true ON CONFLICT DO NOTHING`),
  );

/** Returns the statements that delete inclusions. */
export const deleteInclusions = (db: Database, space: SpaceId, inclusions: Inclusion[]): Statement[] =>
  splitIntoJson(inclusions).map((json) =>
    db.run(sql`DELETE FROM search_includes WHERE space = ${space} AND (content, page) IN (
      SELECT value->>0, value->>1 FROM json_each(${json}))`),
  );

const i = aliasedTable(searchIncludes, 'i');
const inclusionRow = selection({ content: fromQuery(i.content), page: fromQuery(i.page) });

const readInclusions = prepareStatement((space: SQL<SpaceId>, contents: SQL<string>, after: SQL<string>) =>
  inclusionRow.query(sql`
    SELECT w.value AS content, p.value AS page FROM json_each(${contents}) w CROSS JOIN json_each((
      SELECT json_group_array(page) FROM (
        SELECT i.page FROM search_includes i
        WHERE i.space = ${space} AND i.content = w.value AND i.page > CASE w.key WHEN 0 THEN ${after} ELSE '' END
        ORDER BY i.page LIMIT ${sql.raw(String(maxPagesPerEvent))}))) p
    ORDER BY w.key, p.key LIMIT ${sql.raw(String(maxPagesPerEvent))}`),
);

/** Reusable contents. The pages that include them are read in steps. */
export interface IncludedContents {
  contents: string[];
  /** The last page of the first content that was read. */
  after?: string | undefined;
}

/**
 * Finds the next pages that include contents, as they were indexed. It reads a limited number of rows. `next` are the
 * contents and pages that remain.
 */
export async function findInclusions(
  db: Database,
  space: SpaceId,
  { contents, after = '' }: IncludedContents,
): Promise<{ inclusions: Inclusion[]; next: IncludedContents | undefined }> {
  const inclusions = await readRows(db, readInclusions(space, JSON.stringify(contents), after));
  const last = inclusions.length < maxPagesPerEvent ? undefined : inclusions.at(-1);
  return {
    inclusions: inclusions.map(({ content, page }) => [content, page]),
    next: last && { contents: contents.slice(contents.indexOf(last.content)), after: last.page },
  };
}
