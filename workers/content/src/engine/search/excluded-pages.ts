import { fromJson, fromQuery, nullable, selection } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { createHeadCte, selectNearest } from '../store/lineage.ts';

/** The position of a page in the tree, and whether it excludes itself and the pages below from search. */
export type TreePosition = [parent: string, noIndex: unknown];

const ancestorRow = selection({ id: fromQuery(String), position: nullable(fromQuery(fromJson<TreePosition>())) });
interface AncestorRow {
  id: string;
  position: TreePosition | null;
}

/** Maximum number of ancestors that are read. */
const maxAncestors = sql.raw('100');

const position = sql`json_array(v.parent, v.data->>'$.fields.noIndex')`;

/** Returns the query for pages and their ancestors, each once, up to a limit. */
export const queryAncestors = (lineage: string, pages: string[]) =>
  ancestorRow.query(sql`
    WITH RECURSIVE ${createHeadCte(lineage)}, up(id, position) AS (
      SELECT value, ${selectNearest(lineage, sql`w.value`, position)} FROM json_each(${JSON.stringify(pages)}) w
      UNION
      SELECT position->>0, ${selectNearest(lineage, sql`(up.position->>0)`, position)} FROM up WHERE position->>0 <> ''
      LIMIT ${maxAncestors}
    )
    SELECT id, position FROM up`);

interface AncestorSearch {
  isExcluded: boolean;
  /** The nearest ancestor that is not known. */
  unknown?: string;
}

/** The known part of a page tree. */
export class PageTree {
  readonly #positions: Map<string, TreePosition | null>;

  constructor(positions: [id: string, position: TreePosition | null][]) {
    this.#positions = new Map(positions);
  }

  add(rows: AncestorRow[]): void {
    for (const { id, position } of rows) this.#positions.set(id, position);
  }

  /** After an update of a change request, pages can be below each other. */
  #findAncestors(page: string): AncestorSearch {
    const visited = new Set<string>();
    for (let id = page; id !== '' && !visited.has(id); ) {
      visited.add(id);
      const position = this.#positions.get(id);
      if (position === undefined) return { isExcluded: false, unknown: id };
      if (position === null) break;
      if (position[1]) return { isExcluded: true };
      id = position[0];
    }
    return { isExcluded: false };
  }

  /** Whether a page or an ancestor is excluded from search; undefined if not all ancestors are known. */
  isExcluded(page: string): boolean | undefined {
    const { isExcluded, unknown } = this.#findAncestors(page);
    return unknown === undefined ? isExcluded : undefined;
  }

  /** Returns the nearest ancestors that are not known. */
  listUnknown = (pages: string[]): string[] => [
    ...new Set(pages.flatMap((page) => this.#findAncestors(page).unknown ?? [])),
  ];
}
