import { anchorIsIn, type ShownDocument } from '@octavo/reader';
import { documentQuery, type SiteShell } from '../load-view.ts';
import type { SiteVisit } from '../site-visit.ts';

/** Where a part stands that the address names below a page which shows it itself; undefined where there is none. */
export async function placeOfPart(
  { content, api }: Pick<SiteVisit, 'content' | 'api'>,
  { tree, revision }: Pick<SiteShell, 'tree' | 'revision'>,
): Promise<string | undefined> {
  const part = tree.partAt(decodeURIComponent(content.pathname.slice(1)));
  if (part === undefined) return undefined;
  const path = `/v1/spaces/${content.space}/revisions/${revision.id}/page/${part.page.id}`;
  const document = await api.get<ShownDocument>(`${path}/document?${documentQuery}`);
  const isThere = document !== undefined && anchorIsIn(document.nodes, part.slug);
  return isThere ? `${tree.placeOf(part.page)}#${encodeURIComponent(part.slug)}` : undefined;
}
