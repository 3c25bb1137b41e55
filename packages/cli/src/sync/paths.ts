import { type SpaceContent, walkPresent } from '@octavo/space-files';
import type { Tree } from './tree.ts';

/** The former and current tree of a repository, and the new paths of renamed files. */
export interface TreeDifference {
  formerTree: Tree;
  present: Tree;
  renamedPaths: ReadonlyMap<string, string>;
}

/** The former and current paths of items, by ID, and comparisons of their bytes. */
export class Paths {
  /** Paths of the items of the space that are in the former tree, by ID. */
  readonly all: ReadonlyMap<string, string>;
  readonly formerPaths = new Map<string, string>();
  readonly now = new Map<string, string>();
  readonly #difference: TreeDifference;
  readonly #oids = new Map<string, string>();

  constructor(content: SpaceContent, difference: TreeDifference) {
    this.#difference = difference;
    const { pages, files, reusableContents, names } = content;
    this.all = new Map([...names].filter(([, path]) => difference.formerTree.blobs.has(path)));
    for (const { id, git } of [...walkPresent(pages), ...files, ...reusableContents])
      if (git) this.#oids.set(id, git.oid);
    const { formerTree, present, renamedPaths } = difference;
    for (const [id, path] of names) {
      if (!formerTree.blobs.has(path)) {
        // An interrupted run has already imported this file.
        if (this.#oids.has(id) && present.blobs.has(path)) this.now.set(id, path);
        continue;
      }
      this.formerPaths.set(id, path);
      const currentPath = present.blobs.has(path) ? path : renamedPaths.get(path);
      if (currentPath !== undefined) this.now.set(id, currentPath);
    }
  }

  isSamePath(id: string, path: string | undefined): boolean {
    const { formerTree, present } = this.#difference;
    const formerPath = this.formerPaths.get(id);
    return (
      (formerPath === undefined ? this.#oids.get(id) : formerTree.blobs.get(formerPath)?.oid) ===
      present.blobs.get(path ?? '')?.oid
    );
  }

  /** Whether a file is new, or has other bytes than it had at that path. */
  isNew(path: string): boolean {
    const { formerTree, present } = this.#difference;
    return formerTree.blobs.get(path)?.oid !== present.blobs.get(path)?.oid;
  }

  isMoved = (id: string): boolean =>
    this.now.has(id) && this.formerPaths.has(id) && this.formerPaths.get(id) !== this.now.get(id);
  isDeleted = (id: string): boolean => this.formerPaths.has(id) && !this.now.has(id);
}
