import { nextFreeSlug, textKey } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { ComputedSource } from '@octavo/schema';
import { integratedBy } from '@octavo/schema';
import { nodeFields, pageFields } from '../nodes/stored-node.ts';
import type { ComputedSourceRow, MadeVersionId, PageEntry } from './computed-sources.ts';
import { isShort } from './short-description.ts';

/** A page that is made of a computed page: it has that one's id in front of its own. */
export interface MadePage extends Node {
  madeOf: { source: string; version: MadeVersionId; slug: string; entry: PageEntry };
}

/** Whether an id is one of a page that is made of another. */
export const isMadeId = (id: string): boolean => id.includes('-');

/** The id of the computed page that a page is made of. */
export const sourceOf = (id: string): string => id.slice(0, id.indexOf('-'));

/** What an answer with pages of these follows from beside its revision. */
export const versionsOf = (rows: ComputedSourceRow[]): string | undefined =>
  rows.length === 0 ? undefined : rows.map(({ page, version }) => `${page}:${version?.id ?? ''}`).join();

export const isMadePage = (node: Node): node is MadePage => 'madeOf' in node;

/** Whether a page is a computed one that an integration makes pages of. */
const isIntegrated = (node: Node): boolean => {
  const { computed } = pageFields(node);
  return computed !== undefined && integratedBy(computed) !== undefined;
};

/** Whether a page is a computed one that pages are made of. */
export const isSource = (node: Node): boolean => {
  const { type, computed } = pageFields(node);
  return type === 'computed' && (computed?.type === 'builtin:openapi' || isIntegrated(node));
};

/**
 * Pages with those that are made of the computed ones in their places. A slug that a page has which somebody wrote is
 * not theirs; of computed pages beside each other the first has it. `others` are pages that are not among the nodes.
 * One that its integration has made nothing of stays what it is.
 */
export function withMadePages(
  nodes: Node[],
  rows: ComputedSourceRow[],
  others: Pick<Node, 'parent' | 'slug'>[] = [],
): Node[] {
  const sources = nodes.filter(isSource).sort(byPlace);
  if (sources.length === 0) return nodes;
  const found = new Map(rows.map((row) => [row.page, row]));
  const isWaiting = (node: Node) => isIntegrated(node) && !found.get(node.id)?.version;
  const written = nodes.filter((node) => !isSource(node) || isWaiting(node));
  const taken = new Map(sources.map(({ parent }) => [parent, new Set<string>()]));
  for (const { parent, slug } of [...written, ...others]) taken.get(parent)?.add(slug);
  const made = sources.flatMap((source) => {
    const row = found.get(source.id);
    return row === undefined ? [] : pagesOf(source, row, taken.get(source.parent) ?? new Set());
  });
  return [...written, ...made];
}

const byPlace = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

/** A page, with its path among the pages of its specification, which no page beside them changes. */
interface Named {
  node: MadePage;
  name: string;
}

function pagesOf(source: Node, { version, entries }: ComputedSourceRow, taken: Set<string>): MadePage[] {
  if (version === null) return [];
  const made = new Map<number, Named>();
  const [names, ids] = [new Set<string>(), new Set<string>()];
  for (const entry of entries) {
    const above = entry[2] === null ? undefined : made.get(entry[2]);
    const own = slugOf(entry);
    const called = own === '' ? `~${entry[3]}` : own;
    const name = above === undefined ? nextFreeSlug(called, names) : `${above.name}/${called}`;
    const slug = above === undefined && own !== '' ? nextFreeSlug(own, taken) : own;
    if (above === undefined) taken.add(slug);
    const id = nextFreeSlug(`${source.id}-${textKey(name)}`, ids);
    names.add(name);
    ids.add(id);
    const node = pageOf(entry, { source, version, id, slug, name, above: above?.node });
    made.set(entry[0], { node, name });
  }
  return [...made.values()].map(({ node }) => node);
}

const titles = { webhook: 'Webhooks', model: 'Models' };

/** Whether a page is a link, which has neither a path nor a text. */
export const isLink = ({ madeOf: { entry } }: Pick<MadePage, 'madeOf'>): boolean => isLinkEntry(entry);

const isLinkEntry = ({ 9: target }: PageEntry): boolean => Boolean(target);

/** The slug that a page has unless one beside it has that. */
export function slugOf(entry: PageEntry): string {
  const [, kind, , slug] = entry;
  if (isLinkEntry(entry)) return '';
  return kind === 'webhook' || kind === 'model' ? titles[kind].toLowerCase() : slug;
}

interface Making {
  source: Node;
  version: NonNullable<ComputedSourceRow['version']>;
  id: string;
  slug: string;
  name: string;
  above: Node | undefined;
}

function pageOf(entry: PageEntry, { source, version, id, slug, name, above }: Making): MadePage {
  const { hidden, noIndex, noRobotsIndex, condition } = pageFields(source);
  const { 8: emoji, 9: target } = entry;
  return {
    kind: 'page',
    id,
    parent: above?.id ?? source.parent,
    position: `${source.position}\0${String(entry[0]).padStart(6, '0')}`,
    slug,
    fields: nodeFields({
      ...said(entry),
      emoji: emoji ?? undefined,
      ...(target ? { type: 'link', target } : { type: 'document', computed: documentSource(entry, version, name) }),
      ...(above === undefined ? { hidden, noIndex, noRobotsIndex, condition } : {}),
    }),
    document: null,
    createdAt: source.createdAt,
    updatedAt: Math.max(source.updatedAt, version.createdAt),
    madeOf: { source: source.id, version: version.id, slug: version.slug, entry },
  };
}

function said([, kind, , , title, description, icon]: PageEntry) {
  if (kind === 'webhook' || kind === 'model') return { title: titles[kind] };
  const isOwn = isShort(description) || (kind === 'page' && description !== '');
  return { title, description: isOwn ? description : undefined, icon: icon ?? undefined };
}

/** What the document of a page is made of, as clients may ask for it. */
function documentSource(
  [, kind, , , , , , filled]: PageEntry,
  { id, spec, slug }: Making['version'],
  page: string,
): ComputedSource {
  if (spec === null) return { type: slug };
  const isInfo = kind === 'tag' && filled === 0;
  return {
    type: 'builtin:openapi',
    props: kind === 'model' ? { doc: 'models' } : { doc: isInfo ? 'info' : 'operations', page },
    dependencies: {
      spec: {
        ref: { kind: 'openapi', spec: slug },
        value: { object: 'openapi-spec', id: spec, slug, lastVersion: id },
      },
    },
  };
}
