import type { LinkTarget } from '@octavo/schema';
import type { SourceFile } from './source.ts';

interface WantedBase {
  parent: WantedEntry | undefined;
  /** The sibling before it. */
  previous: WantedEntry | undefined;
  children: WantedEntry[];
}

/** A document page that the import wants; what is left out is not compared and not sent. */
export interface WantedPage extends WantedBase {
  kind: 'page';
  title?: string;
  /** The title of a new page whose text gives none. */
  fallbackTitle: string;
  slug: string;
  /** The path of its file, also where the file cannot be read. */
  path?: string;
  file?: SourceFile;
  hidden?: boolean;
}

export interface WantedGroup extends WantedBase {
  kind: 'group';
  title: string;
  slug: string;
}

/** A link; one to a page names the page's file until the page's id is known. */
export interface WantedLink extends WantedBase {
  kind: 'link';
  title: string;
  target: LinkTarget | { kind: 'file-of-page'; path: string };
}

export type WantedEntry = WantedPage | WantedGroup | WantedLink;
export type Unplaced<W extends WantedEntry = WantedEntry> = W extends WantedEntry ? Omit<W, keyof WantedBase> : never;

export interface Problem {
  path: string;
  message: string;
}

/** The tree that an import wants, and the files that it had to leave out. */
export interface WantedTree {
  roots: WantedEntry[];
  failed: Problem[];
}

/** Adds a node as the last child of a parent, or of the root. */
export function addWanted(roots: WantedEntry[], parent: WantedEntry | undefined, node: Unplaced): WantedEntry {
  const siblings = parent?.children ?? roots;
  const added: WantedEntry = { ...node, parent, previous: siblings.at(-1), children: [] };
  siblings.push(added);
  return added;
}

/** Every node, parents before children. */
export function* walkWanted(nodes: readonly WantedEntry[]): Generator<WantedEntry> {
  for (const node of nodes) {
    yield node;
    yield* walkWanted(node.children);
  }
}
