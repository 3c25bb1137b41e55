import type { ContentChange, RevisionId } from '@octavo/schema';
import { decidedNode, specOf } from '@octavo/schema';

/** What the changes of a batch will need, by ids and by references, which name nothing that is stored. */
export interface WantedContent {
  pages: string[];
  /** Pages that get another text: what the one before said of them counts. */
  rewritten: string[];
  parents: string[];
  /** Pages that are deleted by name. */
  deleted: string[];
  /** Where slugs must be free: all parents and slugs that the batch names for each page. */
  slugs: { parent: string; slug: string }[];
  /** Slugs that pages take where they are, or where a revert puts them. */
  renamed: { page: string; slug: string }[];
  /** Parents that pages go to with the slug that they have, or that a revert gives them. */
  moved: { page: string; parent: string }[];
  /** Whose children must all be known: parents, and pages for the parents that they have or that a revert gives them. */
  ordered: { parents: string[]; pages: string[] };
  /** What decisions are about. */
  decided: { kind: string; id: string }[];
  files: string[];
  reusableContents: string[];
  variables: string[];
  /** The slugs of OpenAPI specifications. */
  specs: string[];
  reverts: { index: number; page: string; revision: RevisionId | null }[];
}

/** What one batch says of one page. */
interface Placed {
  page: string;
  isNew: boolean;
  slugs: string[];
  parents: string[];
  ordered: boolean;
}

/** What the changes will need, gathered before anything is read. `slugs[i]` are those that change `i` may give. */
export function wantedOf(changes: ContentChange[], slugs: string[][]): WantedContent {
  const placed = [...placesOf(changes, slugs).values()];
  const product = placed.flatMap(({ parents, slugs: own }) =>
    parents.flatMap((parent) => own.map((slug) => ({ parent, slug }))),
  );
  const present = placed.filter(({ isNew }) => !isNew);
  const ordered = placed.filter((each) => each.ordered);
  const named = changes.flatMap((change) => ('page' in change ? (change.page ?? []) : []));
  return {
    pages: named,
    rewritten: changes.flatMap((change) =>
      ('document' in change && 'page' in change) || (change.operation === 'revert_page' && change.block)
        ? [change.page]
        : [],
    ),
    parents: changes.flatMap((change) => ('into' in change ? (change.into ?? []) : [])),
    deleted: changes.flatMap((change) => (change.operation === 'delete_page' ? [change.page] : [])),
    slugs: product,
    renamed: present.flatMap(({ page, slugs: own }) => own.map((slug) => ({ page, slug }))),
    moved: present.flatMap(({ page, parents }) => parents.map((parent) => ({ page, parent }))),
    ordered: { parents: ordered.flatMap(({ parents }) => parents), pages: ordered.map(({ page }) => page) },
    decided: changes.flatMap((change) => (change.operation === 'resolve' ? [decidedNode(change)] : [])),
    files: changes.flatMap((change) => ('file' in change ? [change.file] : [])),
    reusableContents: changes.flatMap((change) => ('reusableContent' in change ? [change.reusableContent] : [])),
    variables: changes.flatMap((change) => (change.operation === 'set_variables' ? Object.keys(change.variables) : [])),
    specs: changes.flatMap((change) => (change.operation === 'insert_computed' ? (specOf(change.computed) ?? []) : [])),
    reverts: changes.flatMap((change, index) =>
      change.operation === 'revert_page' ? [{ index, page: change.page, revision: change.revision ?? null }] : [],
    ),
  };
}

/** All places that a batch gives to each page, whatever the order: a page may be moved, renamed and placed one by one. */
function placesOf(changes: ContentChange[], slugs: string[][]): Map<string, Placed> {
  const places = new Map<string, Placed>();
  for (const [index, change] of changes.entries()) {
    const isNew = change.operation.startsWith('insert_');
    const name = 'page' in change ? change.page : 'ref' in change ? change.ref : undefined;
    const page = name ?? `change ${index}`;
    const place = places.get(page) ?? { page, isNew, slugs: [], parents: [], ordered: false };
    const into = 'into' in change ? change.into : undefined;
    place.slugs.push(...(slugs[index] ?? []));
    if (isNew || into !== undefined) place.parents.push(into ?? '');
    if ('at' in change && change.at !== undefined) place.ordered = true;
    places.set(page, place);
  }
  return places;
}
