import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Node, UndecidedField } from '@octavo/merge';
import { keepSide, nodeKey } from '@octavo/merge';
import type { OrganizationId, RevisionId } from '@octavo/schema';
import { decidedNode } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { findTexts, storeText } from '../store/documents.ts';
import {
  findAncestors,
  findChildren,
  findDescendants,
  findHeights,
  findNodes,
  findSlugs,
  selectIds,
  selectKeys,
} from '../store/lineage.ts';
import { nodesByKey } from '../store/nodes.ts';
import type { PreparedChange } from './documents.ts';
import { readText } from './documents.ts';
import type { Decision, LoadedContent } from './tree.ts';
import type { ContentSource } from './wanted-places.ts';

/** One decision of a batch: about what, which side, and what was left of the field. */
interface Wanted {
  index: number;
  kind: Node['kind'];
  id: string;
  field: string;
  keep: 'mine' | 'live';
  open: UndecidedField;
  document: string | null;
}

interface Reading {
  db: Database;
  source: ContentSource;
  organization: OrganizationId;
}

interface Prepared {
  content: LoadedContent;
  changes: PreparedChange[];
}

/** Reads what the decisions of a batch are made from, and makes their documents; nothing where there are none. */
export async function loadDecisions(reading: Reading, content: LoadedContent, changes: PreparedChange[]) {
  const wanted = changes.flatMap(({ change }, index) => wantedOf({ change, index }, content));
  if (wanted.length === 0) return { content, changes };
  const states = await loadStates(reading, content, wanted);
  return withDocuments(reading, { content: states, changes }, wanted);
}

function wantedOf(
  { change, index }: Pick<PreparedChange, 'change'> & { index: number },
  content: LoadedContent,
): Wanted[] {
  if (change.operation !== 'resolve') return [];
  const key = decidedNode(change);
  const node = content.nodes.find((each) => nodeKey(each) === nodeKey(key));
  const undecided = node === undefined ? content.gone.get(nodeKey(key)) : node.undecided;
  const { field, keep } = change;
  const open = undecided !== undefined && Object.hasOwn(undecided, field) ? undecided[field] : undefined;
  return open === undefined ? [] : [{ ...key, index, field, keep, open, document: node?.document ?? null }];
}

/** The fields whose decision puts a page somewhere, or brings it back. */
const placing = ['node', 'place', 'parent', 'pages'];

async function loadStates({ db, source }: Reading, content: LoadedContent, wanted: Wanted[]): Promise<LoadedContent> {
  const { lineage, baseLineage } = source;
  const pagesOf = (keep: Wanted['keep'], ...fields: string[]) =>
    wanted.filter((each) => each.kind === 'page' && each.keep === keep && fields.includes(each.field));
  const misplaced = wanted.filter(({ kind, field }) => kind === 'page' && field === 'parent');
  const before = Map.groupBy(pagesOf('mine', 'parent'), ({ open }) => open.before ?? '');
  const rows = await runBatch(db, {
    live: findNodes(baseLineage, selectKeys(wanted)),
    above: findAncestors(baseLineage, idsOf(pagesOf('live', ...placing))),
    below: findDescendants(lineage, idsOf(pagesOf('mine', 'pages'))),
    children: findChildren(lineage, idsOf(pagesOf('live', 'node', 'parent'))),
    heights: findHeights(lineage, { start: idsOf(misplaced), gone: selectIds([]) }),
    mine: [...before].map(([revision, pages]) => findAncestors(lineageOfRevision(revision), idsOf(pages))),
  });
  const liveNodes = nodesByKey(rows.live);
  const chains = { live: nodesByKey(rows.above), mine: nodesByKey(rows.mine) };
  const heights = new Map(rows.heights.map(({ id, height }) => [id, height]));
  const decisions = new Map(
    wanted.map((each): [number, Decision] => [
      each.index,
      {
        live: liveNodes.get(nodeKey(each)),
        document: each.document,
        chain: chainOf(each.id, chains[each.keep]),
        height: heights.get(each.id) ?? 0,
      },
    ]),
  );
  const known = {
    ...content,
    nodes: [...content.nodes, ...nodesByKey([...rows.below, ...rows.children]).values()],
    decisions,
  };
  return withSurroundings(db, source, known);
}

/** Where pages are to stand: which of them there are now, below which others, and who has their slugs. */
async function withSurroundings(db: Database, source: ContentSource, content: LoadedContent): Promise<LoadedContent> {
  const { lineage, baseLineage } = source;
  const chains = [...content.decisions.values()].flatMap(({ chain, live }) =>
    live === undefined ? chain : [live, ...chain],
  );
  const pages = chains.filter(({ kind }) => kind === 'page');
  if (pages.length === 0) return content;
  const places = JSON.stringify(pages.map(({ parent, slug }) => ({ parent, slug })));
  const { live, present, slugs } = await runBatch(db, {
    live: findNodes(baseLineage, selectKeys(pages)),
    present: findAncestors(lineage, selectIds(pages.map(({ id }) => id))),
    slugs: findSlugs(lineage, sql`SELECT value->>'parent', value->>'slug' FROM json_each(${places})`),
  });
  const liveNodes = nodesByKey(live);
  return {
    ...content,
    decisions: new Map(
      [...content.decisions].map(([index, decision]) => [
        index,
        { ...decision, chain: asLive(decision.chain, liveNodes) },
      ]),
    ),
    nodes: [...nodesByKey(present).values(), ...content.nodes],
    slugs: [...content.slugs, ...slugs],
  };
}

/** Pages in their places, with what else they are in the live content: what comes back there undoes no live work. */
const asLive = (chain: Node[], live: Map<string, Node>): Node[] =>
  chain.map((page) => ({ ...(live.get(nodeKey(page)) ?? page), parent: page.parent, position: page.position }));

const idsOf = (pages: Wanted[]): SQL => selectIds(pages.map(({ id }) => id));

const lineageOfRevision = (revision: RevisionId): SQL => sql`(SELECT lineage FROM revisions WHERE id = ${revision})`;

/** A page and those above it, as far as they are known. */
function chainOf(id: string, pages: Map<string, Node>): Node[] {
  const chain: Node[] = [];
  for (
    let page = pages.get(nodeKey({ kind: 'page', id }));
    page !== undefined && !chain.includes(page);
    page = pages.get(nodeKey({ kind: 'page', id: page.parent }))
  ) {
    chain.push(page);
  }
  return chain;
}

/** Makes the documents of decisions about conflict markers: of each conflict that is left, one side. */
async function withDocuments({ db, organization }: Reading, prepared: Prepared, wanted: Wanted[]): Promise<Prepared> {
  const marked = wanted.flatMap(({ index, field, keep, open, document: hash }) => {
    const length = field === 'document' ? open.text?.markerLength : undefined;
    return length === undefined || hash === null ? [] : [{ index, keep, length, hash }];
  });
  const texts = await findTexts(
    db,
    marked.map(({ hash }) => hash),
  );
  const changes = [...prepared.changes];
  for (const { index, keep, length, hash } of marked) {
    const text = keepSide(texts.get(hash) ?? '', length, keep === 'mine' ? 'incoming' : 'main');
    const change = changes[index];
    if (text === undefined || change === undefined) continue;
    changes[index] = { ...change, document: { ...readText(text).said, stored: await storeText(organization, text) } };
  }
  return { ...prepared, changes };
}
