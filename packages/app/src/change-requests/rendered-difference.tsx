import type { PageNode } from '@octavo/reader/drawing';
import type { BlockChanges, DocumentPage } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { get } from '../api.ts';
import { assignThreads, type PageThreads } from '../comments/block-threads.ts';
import { CommentableBlock } from '../comments/commentable-block.tsx';
import type { Discussion } from '../comments/discussion.ts';
import { LostDrafts } from '../comments/lost-drafts.tsx';
import { CommentThread } from '../comments/thread.tsx';
import { hasBlockDraft } from '../comments/typed-drafts.ts';
import { useBlockIds } from '../comments/use-block-ids.ts';
import { type ContentPoint, type PageDrawing, useDrawing } from '../page/use-drawing.ts';
import { FailureState, LoadedContent, LoadingLines } from '../ui/states.tsx';
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
    { subject: `${path} ${page}` },
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

interface DrawnVersions {
  versions: ComparedPage;
  before: PageDrawing | undefined;
  after: PageDrawing | undefined;
}

/** Draws both versions of a page. While other versions are drawn, the former ones are shown. */
function BlockDifferences({ compared, page, versions }: RenderedDifferenceProps & { versions: ComparedPage }): VNode {
  const before = useDrawing(compared, versions.before);
  const after = useDrawing(compared, versions.after);
  const drawn = useRef<DrawnVersions>(undefined);
  // The changed blocks belong to these versions, so they cannot be shown with the drawing of another one.
  if (before.value?.page === versions.before && after.value?.page === versions.after)
    drawn.current = { versions, before: before.value, after: after.value };
  if (drawn.current !== undefined) return <DrawnBlocks compared={compared} page={page} drawn={drawn.current} />;
  const failed = [before, after].find(({ error }) => error !== undefined);
  return failed === undefined ? <LoadingLines /> : <FailureState error={failed.error} retry={failed.reload} />;
}

interface BlockContext {
  discussion: Discussion | undefined;
  page: string;
  threads: PageThreads;
  before: PageDrawing | undefined;
  after: PageDrawing | undefined;
}

const noNodes: PageNode[] = [];

/** Returns what identifies a block: its key in the earlier version, which edits of the later version do not change. */
const getBlockKey = ({ before, after }: ShownBlock): string =>
  before?.key === undefined ? `after ${after?.key ?? ''}` : `before ${before.key}`;

function DrawnBlocks({ compared, page, drawn }: RenderedDifferenceProps & { drawn: DrawnVersions }): VNode {
  const { discussion, path } = compared;
  const { versions, before, after } = drawn;
  const nodes = after?.nodes ?? noNodes;
  const threads = assignThreads(discussion?.comments.value ?? [], page, nodes);
  const titles = { before: versions.before?.title, after: versions.after?.title };
  const blocks = arrangeBlocks(before?.nodes ?? noNodes, nodes, versions.changes.blocks, titles);
  return (
    <article class="block-diff">
      <BlockList context={{ discussion, page, threads, before, after }} path={path} blocks={blocks} />
      {discussion !== undefined && (
        <>
          {threads.others.map((comment) => (
            <CommentThread key={comment.id} discussion={discussion} comment={comment}>
              <p class="thread-place">
                {comment.target.node === undefined ? 'On this page' : 'On a deleted block'}
                {comment.target.node?.preview !== undefined && <q>{comment.target.node.preview}</q>}
              </p>
            </CommentThread>
          ))}
          <LostDrafts discussion={discussion} page={page} keys={nodes.map(({ key }) => key)} />
        </>
      )}
    </article>
  );
}

interface BlockListProps {
  context: BlockContext;
  path: string;
  blocks: ShownBlock[];
}

/**
 * Blocks with the changes between them. Unchanged blocks are shown if they have open comments or typed texts, or when
 * the user asks for them. All blocks are in one list, so that a block keeps its forms when it is changed.
 */
function BlockList({ context, path, blocks }: BlockListProps): VNode {
  const { page, threads } = context;
  const keys = blocks.map((block) => ({ key: getBlockKey(block), node: block.after?.key }));
  const ids = useBlockIds(path, page, keys);
  const idByBlock = new Map(blocks.map((block, index) => [block, ids[index] ?? '']));
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const isShown = (block: ShownBlock): boolean =>
    opened.has(idByBlock.get(block) ?? '') ||
    threads.byBlock.get(block.after?.key ?? '')?.some(({ status }) => status === 'open') === true ||
    hasBlockDraft(path, page, block.after?.key);
  const open = (hidden: ShownBlock[]): void =>
    setOpened(new Set([...opened, ...hidden.map((block) => idByBlock.get(block) ?? '')]));
  return (
    <>
      {groupBlocks(blocks).flatMap((section) => {
        if ('hidden' in section && !section.hidden.some(isShown)) {
          const { hidden } = section;
          return [
            <HiddenBlocks
              key={`hidden ${idByBlock.get(hidden[0] as ShownBlock)}`}
              count={hidden.length}
              open={() => open(hidden)}
            />,
          ];
        }
        const shown = 'hidden' in section ? section.hidden : section.blocks;
        return shown.map((block) => <BlockDifference key={idByBlock.get(block)} context={context} block={block} />);
      })}
    </>
  );
}

const HiddenBlocks = ({ count, open }: { count: number; open: () => void }): VNode => (
  <button type="button" class="hidden-blocks" onClick={open}>
    {count === 1 ? 'Show 1 unchanged block' : `Show ${count} unchanged blocks`}
  </button>
);

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
