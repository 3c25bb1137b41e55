import type { OutlineSource } from '@octavo/outline';
import type { Revision } from '@octavo/schema';
import type { Api } from '../api.ts';
import { exportedFiles } from '../export/exported.ts';
import { readSpace, type SpaceContent } from '../export/read-space.ts';
import { walkPresent } from '../import/present.ts';
import { type Tree, Trees } from './tree.ts';
import { authorOf, changeOf, committerOf, isNothing, writeCommit } from './write-commits.ts';

/** As many revisions have a commit each; of more, all are one. */
const commitsAtMost = 20;
const stepsAtMost = 100;

export interface WrittenCommit {
  id: string;
  subject: string;
  written: number;
  removed: number;
}

export interface BranchEnd {
  folder: string;
  root: string;
  tip: string | undefined;
}

export interface Common {
  /** What both sides held. */
  content: SpaceContent;
  /** The tree of the newest commit. */
  tree: Tree;
  /** Whether that content is of the live line. */
  isLive: boolean;
  /** Whether the repository has changed nothing: then each merge is a commit of its own. */
  isAlone: boolean;
}

/** Commits of what the space holds by now, on top of the newest: one for each merge where none is of the repository. */
export async function bringBack(
  api: Api,
  { folder, root, tip }: BranchEnd,
  { content, tree, isLive, isAlone }: Common,
): Promise<{ commits: WrittenCommit[]; revision: string }> {
  const space = await api.getSpaceById({ params: { spaceId: content.space } });
  if (isLive && isAlone && space.revision === content.revision) return { commits: [], revision: space.revision };
  const since = isLive && isAlone ? await revisionsSince(api, content, space.revision) : undefined;
  const points = since ?? [
    { id: space.revision, message: `${space.title}: revision ${space.revision}`, author: undefined },
  ];
  const commits: WrittenCommit[] = [];
  let before = { content, tree, parent: tip };
  for (const { id, message, author } of points) {
    const now = await readSpace(api, content.space, id);
    const exported = await exportedFiles(api, now, { target: withoutGone(before, now), known: knownOf(before, now) });
    const change = await changeOf(exported, before.tree, before.content.names.values());
    if (isNothing(change)) continue;
    const named = author ?? (await committerOf(folder));
    const written = await writeCommit(change, {
      folder,
      parent: before.parent,
      root,
      author: named,
      message: `${message}\n`,
    });
    commits.push({
      id: written,
      subject: message.split('\n')[0] ?? '',
      written: change.written.size,
      removed: change.removed.length,
    });
    before = { content: now, tree: await new Trees(folder, root).read(written), parent: written };
  }
  return { commits, revision: space.revision };
}

interface Point {
  id: string;
  message: string;
  author: ReturnType<typeof authorOf> | undefined;
}

/** The revisions after a former one, the oldest first; edits between merges are one. Undefined where they are too many. */
async function revisionsSince(api: Api, { space, revision }: SpaceContent, head: string): Promise<Point[] | undefined> {
  const found: Revision[] = [];
  const query = { computed: 'false', depth: '0' } as const;
  for (let id: string | undefined = head; id !== revision; id = found.at(-1)?.parents[0]) {
    if (id === undefined || found.length === stepsAtMost) return undefined;
    found.push(await api.getRevisionById({ params: { spaceId: space, revisionId: id }, query }));
  }
  const points = found
    .toReversed()
    .filter(
      ({ mergedFrom }, index, all) =>
        mergedFrom !== undefined || all[index + 1]?.mergedFrom !== undefined || index === all.length - 1,
    );
  return points.length > commitsAtMost ? undefined : points.map(pointOf);
}

function pointOf({ id, mergedFrom }: Revision): Point {
  const trailer = `Octavo-Revision: ${id}`;
  if (mergedFrom === undefined) return { id, message: `Live edits\n\n${trailer}`, author: undefined };
  const { subject, number, description, mergedBy } = mergedFrom;
  const said = description ? `${description}\n\n` : '';
  return {
    id,
    message: `${subject || `Change request ${number}`}\n\n${said}${trailer}`,
    author: mergedBy && authorOf(mergedBy),
  };
}

/** The files of the repository but for those that the space held and holds no more. */
function withoutGone({ content, tree }: Before, now: SpaceContent): OutlineSource {
  const [held, left] = [new Set(content.names.values()), new Set(now.names.values())];
  return { ...tree.source, paths: tree.source.paths.filter((path) => !held.has(path) || left.has(path)) };
}

interface Before {
  content: SpaceContent;
  tree: Tree;
}

/** Texts that have not changed since they were written are read from there, as long as nothing has another path. */
function knownOf({ content, tree }: Before, now: SpaceContent) {
  const isSame = JSON.stringify([...content.names].sort()) === JSON.stringify([...now.names].sort());
  const all = isSame ? [...walkPresent(content.pages), ...content.reusableContents] : [];
  const documents = new Map(all.map(({ id, document }) => [id, document]));
  return async (id: string, document: string | undefined) => {
    const path = content.names.get(id) ?? '';
    if (document === undefined || documents.get(id) !== document || !tree.blobs.has(path)) return undefined;
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(await tree.source.read(path)) };
  };
}
