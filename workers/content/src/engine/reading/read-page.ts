import type { Database, RevisionPoint } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { DocumentPage, Page, PageContentQuery, SpaceId, Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import type { PlacedPage } from '../computed/computed-pages.ts';
import {
  findMadePage,
  isMadePage,
  readMade,
  readMadeParts,
  versionsOf,
  withMadePages,
} from '../computed/computed-pages.ts';
import type { ComputedSourceRow } from '../computed/sources.ts';
import { LinkingText, namedAsCover, readLateLinks } from '../links/late-links.ts';
import type { readSought, SoughtRows } from '../sites/places.ts';
import { readForeign } from '../sites/places.ts';
import { allNodesIn } from '../store/lineage.ts';
import type { NodeRow } from '../store/nodes.ts';
import { nodesOf, pageFields, toNode } from '../store/nodes.ts';
import { contentsOf } from './included-contents.ts';
import type { Above, Presentation } from './page-presenter.ts';
import { below, presentPage, presentTree, presentWholeGit, root } from './page-presenter.ts';
import type { PageKey } from './page-statements.ts';
import { toldById, toldByPath } from './page-statements.ts';
import type { ReadText, ReferenceForm, ReferenceReading, TextForm } from './page-text.ts';
import { linkedNode, publishedText, readKeptAnchors, textAsMarkdown } from './page-text.ts';
import { readConditions, ShownPages, scopeOfSpace, scopeOn } from './visibility.ts';

export interface PointReading {
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  db: Database;
  point: RevisionPoint;
  space: SpaceId;
  visitor?: Visitor | undefined;
  /** As operations have it: told of the specifications that pages are made of. */
  alsoFollowsFrom: (what: string | undefined) => void;
  to: Omit<Presentation, 'metadata' | 'shown'>;
}

interface ReadingContext extends Omit<PointReading, 'space' | 'to'> {
  space: { id: SpaceId };
  urls: Urls;
}

/** The reading of an operation. */
export const pointReading = ({
  env,
  db,
  point,
  space: { id },
  urls,
  visitor,
  alsoFollowsFrom,
}: ReadingContext): PointReading => ({
  ...{ env, db, point, space: id, visitor, alsoFollowsFrom },
  to: { urls, base: `/spaces/${id}` },
});

/** What is read of a page beside itself: how deep what is below it, and whether what its text stands on. */
export interface PageParts {
  depth?: number | undefined;
  isEvaluated: boolean;
  /** Whether pages that are made of computed ones are there. */
  computed: boolean;
  /** What finds the page in the spaces that stand beside its own. */
  beside?: ReturnType<typeof readSought> | undefined;
}

/** A page that the reader may see, at the head of a chain upwards. */
export interface FoundPage {
  chain: [Node, ...Node[]];
  descendants: Node[];
  text: ReadText;
  shown: ShownPages | undefined;
  beside: SoughtRows;
}

/** By its id, at a revision: the page, its document, its ancestors and what is below it in one round trip. */
export const findPageById = (id: string, parts: PageParts, reading: PointReading): Promise<FoundPage> =>
  findPage({ by: toldById, key: id, length: 0 }, parts, reading);

/** By its path, at a revision; same cost. */
export function findPageByPath(path: string, parts: PageParts, reading: PointReading): Promise<FoundPage> {
  const slugs = slugsOf(path);
  if (slugs.length === 0 || slugs.length > 256) throw notFound('page');
  return findPage({ by: toldByPath, key: JSON.stringify(slugs), length: slugs.length }, parts, reading);
}

const slugsOf = (path: string): string[] => path.split('/').filter((slug) => slug !== '');

/** Of a visitor's read also what decides on what is shown: rows follow the links of the page. */
async function findPage(
  { by, key, length }: PageKey,
  { depth, isEvaluated, computed, beside }: PageParts,
  { db, point, space, visitor, alsoFollowsFrom }: PointReading,
): Promise<FoundPage> {
  const lineage = JSON.stringify(point.lineage);
  const isVisited = visitor !== undefined;
  const rows = await runBatch(db, {
    texts: by.text(lineage, key, length),
    chain: by.chain(lineage, key, length),
    descendants: depth === undefined ? by.descendants(lineage, key, length) : by.levels(lineage, key, length, depth),
    variables: isEvaluated || isVisited ? allNodesIn(lineage, 'variable') : [],
    contents: isEvaluated || isVisited ? by.contents(lineage, key, length) : [],
    conditions: isVisited ? readConditions(lineage) : [],
    linked: isVisited ? by.linked(lineage, key, length) : [],
    ...readMade(by.made, { lineage, key, length, space }, computed),
    besideIt: beside ?? { sites: [], rows: [] },
  });
  const { page, ancestors, descendants, sources } = foundPage(rows, computed) ?? findMadePage(rows.made, key, length);
  alsoFollowsFrom(versionsOf(sources));
  const scope = scopeOfSpace(nodesOf(rows.variables), visitor?.claims);
  const known = [page, ...ancestors, ...descendants, ...nodesOf(rows.linked)];
  const shown = visitor && new ShownPages(scope, known, rows.conditions[0]?.some === 1);
  if (shown?.has(page.id) === false) throw notFound('page');
  const markdown = rows.texts[0]?.markdown ?? '';
  const [made] = isMadePage(page) ? await readMadeParts(db, [page]) : [];
  const text = { node: page, markdown, scope: scopeOn(page, scope), contents: contentsOf(rows.contents), made };
  return { chain: [page, ...ancestors], descendants, text, shown, beside: rows.besideIt };
}

interface FoundRows {
  chain: (NodeRow & { level: number })[];
  descendants: NodeRow[];
  below: ComputedSourceRow[];
}

function foundPage({ chain, descendants, below: sources }: FoundRows, isComputed: boolean): PlacedPage | undefined {
  const [page, ...ancestors] = chain.sort((one, other) => one.level - other.level).map(requireNode);
  if (page === undefined) return undefined;
  const nodes = descendants.map(requireNode);
  return { page, ancestors, descendants: isComputed ? withMadePages(nodes, sources) : nodes, sources };
}

function requireNode(row: NodeRow): Node {
  const node = toNode(row);
  if (node === undefined) throw new Error('A query for live pages gave a tombstone.');
  return node;
}

/** What decides on how the references of a text are given in a form, and of the pages beside it. */
export async function readReferences(
  { text, shown }: Pick<FoundPage, 'text' | 'shown'>,
  reading: PointReading,
  { pages = [], form = 'typed' }: { pages?: Node[]; form?: ReferenceForm } = {},
): Promise<ReferenceReading> {
  const { space, visitor } = reading;
  const { urls } = reading.to;
  const told = pages.filter(({ id }) => shown?.has(id) !== false);
  const referring = { texts: [text, ...text.contents.values()].map((each) => new LinkingText(each)), pages: told };
  const foreign = visitor && (await readForeign(referring, { ...reading, visitor, urls }));
  const isLate = form !== 'written' || shown?.hasConditions === true;
  const naming = isLate ? [...referring.texts, ...told.map(namedAsCover)] : [];
  const found = isLate ? await readLateLinks(naming, { ...reading, urls, shown }) : { late: undefined, shown };
  const linked = referring.texts.map((each) => each.of(linkedNode(each.node, found)));
  const anchors = form === 'written' && visitor === undefined ? undefined : await readKeptAnchors(linked, reading);
  return { space, urls, foreign, anchors, ...found };
}

/** A page as the API gives it, with its text and what is below it. */
export async function presentRead(found: FoundPage, query: PageContentQuery, reading: PointReading): Promise<Page> {
  const { descendants, text, shown } = found;
  const [page, ...ancestors] = found.chain;
  const asked = query.format === 'document' ? 'typed' : formOf(query).references;
  const references = await readReferences(found, reading, { pages: [page, ...descendants], form: asked });
  const above = ancestors.reduceRight<Above>((outer, node) => below(outer, pageFields(node), node.slug), root);
  const presentation = { ...reading.to, metadata: query.metadata, shown, foreign: references.foreign };
  const depth = query.depth === undefined ? undefined : query.depth - 1;
  const inside = { parent: page.id, above: below(above, pageFields(page), page.slug), depth };
  const children = presentTree(
    descendants.map((each) => linkedNode(each, references)),
    inside,
    presentation,
  );
  const presented = presentPage(linkedNode(page, references), above, { children, to: presentation });
  if (presented.type !== 'document') return presented;
  const isTold = query.metadata && shown === undefined;
  const hasLinks = isTold && page.links !== undefined;
  const whole = { ...presented, ...(isTold ? presentWholeGit(page) : {}), ...(hasLinks ? { links: page.links } : {}) };
  const form = formOf(query);
  if (query.format === 'document') {
    const document = publishedText(text, form, { reading: references, isKept: true });
    return { ...whole, document } satisfies DocumentPage;
  }
  return { ...whole, markdown: textAsMarkdown(text, form, references) } satisfies DocumentPage;
}

/** Whoever evaluates a page has what it includes in place, too. */
function formOf({ evaluated, dereferenced, format, 'format.markdown.refs': refs }: PageContentQuery): TextForm {
  const isStable = format === 'markdown' && refs === 'stable';
  return { evaluated, dereferenced: dereferenced || evaluated, references: isStable ? 'stable' : 'written' };
}

export const partsOf = ({ depth, evaluated, dereferenced, computed }: PageContentQuery): PageParts => ({
  depth,
  computed,
  isEvaluated: evaluated || dereferenced,
});
