import { toEmoji } from '@octavo/reader/drawing';
import type { DocumentPage } from '@octavo/schema';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Discussion } from '../comments/discussion.ts';
import { CommentedBlocks, PageDiscussion } from '../comments/page-comments.tsx';
import { useAppLocation } from '../router.ts';
import { LoadedContent } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { decodeText } from './resolve-reference.ts';
import { type ContentPoint, type PageDrawing, useDrawing } from './use-drawing.ts';

interface PageViewProps {
  point: ContentPoint;
  page: DocumentPage;
  /** The comments on the page, unless they are not shown. */
  discussion?: Discussion;
}

/** Scrolls to the heading that the address names when the page is first drawn, and when the address changes. */
function useTarget(isDrawn: boolean): void {
  const { hash } = useAppLocation();
  useEffect(() => {
    const name = decodeText(hash.slice(1));
    if (isDrawn && name !== '') document.getElementById(name)?.scrollIntoView();
  }, [isDrawn, hash]);
}

/** A page as its readers see it, with links that stay in the app. */
export function ReadPage({ point, page, discussion }: PageViewProps): VNode {
  const loaded = useDrawing(point, page);
  const drawing = loaded.value;
  useTarget(drawing !== undefined);
  return (
    <div class="page-columns">
      <article class={`page ${drawing?.className ?? ''}`}>
        <header class="page-head">
          {page.emoji !== undefined && (
            <span class="page-emoji" aria-hidden="true">
              {toEmoji(page.emoji)}
            </span>
          )}
          <h1>{page.title}</h1>
          {page.description !== undefined && <p class="lead">{page.description}</p>}
          {page.updatedAt !== undefined && (
            <p class="page-time">
              Changed <RelativeTime time={page.updatedAt} />
            </p>
          )}
        </header>
        <LoadedContent loaded={loaded} lines={8}>
          {(drawn) => <DrawnBlocks drawing={drawn} page={page} discussion={discussion} />}
        </LoadedContent>
      </article>
      {drawing !== undefined && discussion !== undefined && (
        <PageDiscussion discussion={discussion} page={page.id} nodes={drawing.nodes} />
      )}
      {drawing !== undefined && drawing.outline.length > 1 && <PageOutline drawing={drawing} />}
    </div>
  );
}

interface DrawnBlocksProps {
  drawing: PageDrawing;
  page: DocumentPage;
  discussion: Discussion | undefined;
}

function DrawnBlocks({ drawing: { nodes, draw }, page, discussion }: DrawnBlocksProps): VNode {
  if (nodes.length === 0) return <p class="page-empty">This page is empty.</p>;
  if (discussion === undefined) return <>{nodes.map(draw)}</>;
  return <CommentedBlocks discussion={discussion} page={page.id} nodes={nodes} draw={draw} />;
}

function PageOutline({ drawing: { outline } }: { drawing: PageDrawing }): VNode {
  const top = Math.min(...outline.map(({ level }) => level));
  return (
    <nav class="page-contents" aria-label="On this page">
      <h2>On this page</h2>
      <ul>
        {outline.map(({ id, level, text }) => (
          <li key={id} class={`level-${level - top + 1}`}>
            <a href={`#${encodeURIComponent(id)}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
