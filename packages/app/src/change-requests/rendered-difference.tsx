import type { PageNode } from '@octavo/reader/drawing';
import type { BlockChanges, DocumentPage } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { get } from '../api.ts';
import { assignThreads, type PageThreads } from '../comments/block-threads.ts';
import { CommentableBlock } from '../comments/commentable-block.tsx';
import type { Discussion } from '../comments/discussion.ts';
import { CommentThread } from '../comments/thread.tsx';
import { type ContentPoint, type PageDrawing, useDrawing } from '../page/use-drawing.ts';
import { LoadedContent, LoadingLines } from '../ui/states.tsx';
import { type LoadOptions, useLoaded } from '../use-api.ts';
import { arrangeBlocks, groupBlocks, type ShownBlock } from './arrange-blocks.ts';
import { useWordMarks } from './word-marks.ts';
import { separateVersions } from './words.ts';

/** A change request or a revision, with the revision that it is compared with. */
export interface ComparedPoint extends ContentPoint {
  /** The id of the earlier revision. The first revision of a space has none. */
  base: string | undefined;
  /** The id of the compared revision. */
  revision: string;
  /** The comments on the content, unless they are not shown. */
  discussion?: Discussion;
}

interface RenderedDifferenceProps {
  compared: ComparedPoint;
  /** The id of the page. */
  page: string;
}

interface ComparedPage {
  changes: BlockChanges;
  before: DocumentPage | undefined;
  after: DocumentPage | undefined;
}

/**
 * Reads the changed blocks of a page, and the versions of the page that exist. Both versions are read at fixed
 * revisions, so that they have the changed blocks even if the content changes meanwhile.
 */
async function readComparedPage(compared: ComparedPoint, page: string, options: LoadOptions): Promise<ComparedPage> {
  const { space, base, revision } = compared;
  const getPath = (id: string | undefined): string => `/spaces/${space}/revisions/${id}`;
  const changes = await get<BlockChanges>(`${getPath(revision)}/changes/page/${page}`, { base }, options);
  const read = (id: string | undefined): Promise<DocumentPage> =>
    get<DocumentPage>(`${getPath(id)}/page/${page}`, { format: 'document', dereferenced: true }, options);
  const isShown = (document: string | undefined): boolean => document !== undefined && changes.truncated === undefined;
  const [before, after] = await Promise.all([
    isShown(changes.before) ? read(base) : undefined,
    isShown(changes.after) ? read(revision) : undefined,
  ]);
  return { changes, before, after };
}

/** The changed blocks of a page as readers see them, with the comments on them. */
export function RenderedDifference({ compared, page }: RenderedDifferenceProps): VNode {
  const { path, base, revision } = compared;
  const versions = useLoaded(
    `versions ${path} ${page} ${base} ${revision}`,
    (options) => readComparedPage(compared, page, options),
    `${path} ${page}`,
  );
  return (
    <LoadedContent loaded={versions}>
      {(value) =>
        value.changes.truncated === true ? (
          <p class="muted">The text is too long to be compared here.</p>
        ) : (
          <BlockDifferences compared={compared} page={page} versions={value} />
        )
      }
    </LoadedContent>
  );
}

interface BlockContext {
  discussion: Discussion | undefined;
  page: string;
  threads: PageThreads;
  before: PageDrawing | undefined;
  after: PageDrawing | undefined;
}

const noNodes: PageNode[] = [];

function BlockDifferences({ compared, page, versions }: RenderedDifferenceProps & { versions: ComparedPage }): VNode {
  const { discussion } = compared;
  const before = useDrawing(compared, versions.before);
  const after = useDrawing(compared, versions.after);
  const isLoading = (versions.before && !before) || (versions.after && !after);
  if (isLoading) return <LoadingLines />;
  const threads = assignThreads(discussion?.comments.value ?? [], page, after?.nodes ?? noNodes);
  const context = { discussion, page, threads, before, after };
  const titles = { before: versions.before?.title, after: versions.after?.title };
  const blocks = arrangeBlocks(before?.nodes ?? noNodes, after?.nodes ?? noNodes, versions.changes.blocks, titles);
  return (
    <article class="block-diff">
      {groupBlocks(blocks).map((section) =>
        'hidden' in section ? (
          <HiddenBlocks context={context} blocks={section.hidden} />
        ) : (
          section.blocks.map((block) => <BlockDifference context={context} block={block} />)
        ),
      )}
      {discussion !== undefined &&
        threads.others.map((comment) => (
          <CommentThread key={comment.id} discussion={discussion} comment={comment}>
            <p class="thread-place">
              {comment.target.node === undefined ? 'On this page' : 'On a deleted block'}
              {comment.target.node?.preview !== undefined && <q>{comment.target.node.preview}</q>}
            </p>
          </CommentThread>
        ))}
    </article>
  );
}

interface HiddenBlocksProps {
  context: BlockContext;
  blocks: ShownBlock[];
}

/** Unchanged blocks, which are shown if they have open comments or when the user asks for them. */
function HiddenBlocks({ context, blocks }: HiddenBlocksProps): VNode {
  const [isShown, setShown] = useState(false);
  const isCommented = ({ after }: ShownBlock): boolean =>
    context.threads.byBlock.get(after?.key ?? '')?.some(({ status }) => status === 'open') === true;
  if (isShown || blocks.some(isCommented))
    return (
      <>
        {blocks.map((block) => (
          <BlockDifference context={context} block={block} />
        ))}
      </>
    );
  return (
    <button type="button" class="hidden-blocks" onClick={() => setShown(true)}>
      {blocks.length === 1 ? 'Show 1 unchanged block' : `Show ${blocks.length} unchanged blocks`}
    </button>
  );
}

const labels: Partial<Record<ShownBlock['kind'], string>> = {
  added: 'Added',
  removed: 'Removed',
  changed: 'Changed',
  'moved-here': 'Moved here',
  'moved-away': 'Moved from here',
};

interface BlockDifferenceProps {
  context: BlockContext;
  block: ShownBlock;
}

function BlockDifference({ context, block }: BlockDifferenceProps): VNode {
  const { kind, before, after, words = [] } = block;
  const [old, next] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const marks = { before: old, after: next, words: separateVersions(words) };
  useWordMarks(marks, [before, after, context.before, context.after]);
  const isFormerShown = before !== undefined && kind !== 'unchanged';
  return (
    <fieldset class={`block-change ${kind}`} aria-label={labels[kind] ?? 'Unchanged'}>
      {labels[kind] !== undefined && <span class="block-label">{labels[kind]}</span>}
      {isFormerShown && (
        <div class={`former ${context.before?.className}`} ref={old}>
          {context.before?.draw(before)}
        </div>
      )}
      {after !== undefined && (
        <MaybeCommentable context={context} node={after.key}>
          <div class={`${kind === 'unchanged' ? 'same' : 'current'} ${context.after?.className}`} ref={next}>
            {context.after?.draw(after)}
          </div>
        </MaybeCommentable>
      )}
    </fieldset>
  );
}

interface MaybeCommentableProps {
  context: BlockContext;
  node: string | undefined;
  children: ComponentChildren;
}

/** A block with its comments, unless comments are not shown. */
const MaybeCommentable = ({ context, node, children }: MaybeCommentableProps): VNode =>
  context.discussion === undefined ? (
    <div class="commentable-content">{children}</div>
  ) : (
    <CommentableBlock
      discussion={context.discussion}
      page={context.page}
      node={node}
      threads={context.threads.byBlock.get(node ?? '') ?? []}
      isExpanded
    >
      {children}
    </CommentableBlock>
  );
