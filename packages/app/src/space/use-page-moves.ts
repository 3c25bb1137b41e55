import type { Page } from '@octavo/schema';
import { useRef, useState } from 'preact/hooks';
import { ApiRequestError } from '../api.ts';
import { navigate } from '../router.ts';
import { notify, notifyError } from '../ui/notice.tsx';
import type { LoadedValue } from '../use-api.ts';
import { changePage, openDraft } from './editing.ts';
import { isGenerated, type MoveTarget, movePage } from './page-moves.ts';
import { findPosition, getSiblings } from './page-positions.ts';
import type { SpacePages } from './tree-rows.ts';
import { readWrittenPages, reloadMovedPages } from './use-pages.ts';

interface Tree {
  space: string;
  /** The change request that the tree shows; undefined for the live content. */
  changeRequest: string | undefined;
  /** The API path of the content of the space or change request; undefined until it is known. */
  path: string | undefined;
  loaded: LoadedValue<SpacePages>;
}

/** Moves a page to a position in the written pages of a change request. */
async function sendMove(space: string, changeRequest: string, page: Page, target: MoveTarget, at?: number) {
  const { into } = target;
  let index = at;
  if (index === undefined) {
    const pages = await readWrittenPages(`/spaces/${space}/change-requests/${changeRequest}`);
    const siblings = getSiblings(pages, into ?? undefined).filter(({ id }) => id !== page.id);
    index = siblings.findIndex(({ id }) => id === target.after) + 1;
    const isMissing = [page.id, into, target.after].some((id) => typeof id === 'string' && !pages.byId.has(id));
    if (isMissing) throw new ApiRequestError(0, 'Your draft does not contain these pages. Use “Move” instead.');
  }
  await changePage(space, changeRequest, { operation: 'update_page', page: page.id, into, at: index });
}

/** Names the new position for screen readers, which cannot see it. */
function describeMove(pages: SpacePages, page: Page): string {
  const { into, at } = findPosition(pages, page.id);
  const count = getSiblings(pages, into ?? undefined).length;
  const parent = into === null ? 'on the top level' : `in “${pages.byId.get(into)?.title}”`;
  return `“${page.title}” is page ${at + 1} of ${count} ${parent}`;
}

export interface PageMoves {
  /** The tree with the moves that the server has not confirmed yet. */
  pages: SpacePages | undefined;
  move: (page: Page, target: MoveTarget) => void;
}

/**
 * Moves pages in the change request that the tree shows. If the tree shows the live content, moves them in the user's
 * draft and opens it. The tree shows each move at once.
 */
export function usePageMoves({ space, changeRequest, path, loaded }: Tree): PageMoves {
  const [unconfirmed, setUnconfirmed] = useState<{ changeRequest: string | undefined; pages: SpacePages }>();
  const isCurrent = unconfirmed !== undefined && unconfirmed.changeRequest === changeRequest;
  // Show the previous tree until the tree of another change request is loaded.
  const shown = useRef<SpacePages>(undefined);
  const value = isCurrent ? unconfirmed.pages : loaded.value;
  if (value !== undefined || loaded.error !== undefined) shown.current = value;
  const queue = useRef({ last: Promise.resolve(), length: 0 });
  const enqueue = (send: () => Promise<void>): void => {
    const { current } = queue;
    current.length += 1;
    current.last = current.last
      .then(send)
      .catch(notifyError)
      .then(async () => {
        current.length -= 1;
        if (current.length > 0) return;
        if (path !== undefined && changeRequest !== undefined) await reloadMovedPages(path);
        // The user may have made another move during the reload.
        if (current.length === 0) setUnconfirmed(undefined);
      });
  };
  const move = (page: Page, target: MoveTarget): void => {
    // The first move in the live content opens a draft. Ignore further moves until it is open.
    if (shown.current === undefined || (changeRequest === undefined && queue.current.length > 0)) return;
    const moved = movePage(shown.current, page, target);
    shown.current = moved;
    setUnconfirmed({ changeRequest, pages: moved });
    const hasGenerated = getSiblings(moved, target.into ?? undefined).some(isGenerated);
    const { at } = findPosition(moved, page.id);
    enqueue(async () => {
      const draft = changeRequest ?? (await openDraft(space)).id;
      await sendMove(space, draft, page, target, changeRequest === undefined || hasGenerated ? undefined : at);
      const position = describeMove(moved, page);
      if (changeRequest !== undefined) return notify(position);
      notify(`${position} in this change request. Readers see it there after the merge.`);
      navigate(`/spaces/${space}/change-requests/${draft}`);
    });
  };
  return { pages: shown.current, move };
}
