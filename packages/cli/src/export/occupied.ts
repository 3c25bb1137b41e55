/** The paths of a tree, of all kinds, and the folders that they are in. */
export class Occupied {
  readonly #paths: ReadonlySet<string>;
  readonly #folders = new Set<string>();

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
    for (const path of paths) for (const slash of path.matchAll(/\//g)) this.#folders.add(path.slice(0, slash.index));
  }

  /** What a new file would take the place of: a link, a file where its folder is to be, or a folder. */
  inTheWayOf(path: string): string | undefined {
    if (this.#paths.has(path) || this.#folders.has(path)) return path;
    const above = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
    return above.find((folder) => this.#paths.has(folder));
  }
}
