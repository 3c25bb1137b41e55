import { comments, commitChecked } from '@octavo/db';
import { mentionsOf } from '@octavo/markdown';
import type { Handler, HandlerInput } from '@octavo/runtime';
import type { CommentSubject, collaboration, Served, TargetState } from '@octavo/schema';
import { invalid, namesNothing, newId } from '@octavo/schema';
import type { BranchContext } from '../discussion/branch.ts';
import { branchOf, onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, mayMention } from '../discussion/checks.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { bodyText } from './body.ts';
import { readFound, selectComment } from './comment-record.ts';
import { presentComment } from './present-comment.ts';

type Body = HandlerInput<typeof collaboration.postCommentInSpace>['body'];

export const postComment: Handler<Served<typeof collaboration, 'postComment'>, CollaborationEnvironment> = async (
  { body: { body, page, node } },
  context,
) => {
  const { db, space, actor, point, commit } = context;
  const text = bodyText(body);
  const mentions = mentionsOf(text);
  const subject = await subjectOf({ page, node }, context);
  const id = newId('comment');
  const posted = {
    id,
    space: space.id,
    branch: branchOf(context),
    ...subject,
    revision: point.id,
    author: actor.id,
    body: text,
    createdAt: Date.now(),
  };
  const { shown } = await commitChecked(db, [...branchExists(context), ...mayMention(mentions, context)], (guards) =>
    commit({ guards, write: db.insert(comments).values(posted), shown: selectComment(id, context) }, [
      { type: 'comment.created', ...placeOf(context), data: { ...onComment(id, context), mentions } },
    ]),
  );
  return presentComment(readFound(shown), 'markdown', context);
};

interface Subject {
  page?: string;
  node?: string;
  document?: string;
  about?: CommentSubject;
}

/** The page and the node that a comment is about, as they are now. @throws ApiError where they are not there */
async function subjectOf({ page, node }: Pick<Body, 'page' | 'node'>, context: BranchContext): Promise<Subject> {
  const { env, absorb, space, point } = context;
  if (page === undefined) {
    if (node === undefined) return {};
    throw invalid([{ path: 'body.node', message: 'needs the page that it is on' }]);
  }
  const target = { page, ...(node === undefined ? {} : { node }) };
  const read = await env.CONTENT.readTargets({ space: space.id, lineage: point.lineage, targets: [target] });
  return asSubject(absorb(read)[0], node);
}

function asSubject(state: TargetState | undefined, node: string | undefined): Subject {
  if (state?.page === undefined) throw namesNothing('page', 'page');
  if (node !== undefined && (state.node === undefined || state.outdated)) throw namesNothing('node', 'node');
  const preview = state.node?.preview;
  return {
    page: state.page.id,
    ...(state.document === undefined ? {} : { document: state.document }),
    ...(state.node === undefined ? {} : { node: state.node.id }),
    about: { page: state.page, ...(preview === undefined ? {} : { preview }) },
  };
}
