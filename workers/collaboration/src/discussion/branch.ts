import type { ChangeRequestRecord, RevisionPoint, SpaceRecord } from '@octavo/db';
import type { ActorContext, BaseContext } from '@octavo/runtime';
import type { Role } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';

/** The context of an operation on a space or on one of its change requests. */
export interface BranchContext extends BaseContext<CollaborationEnvironment>, ActorContext {
  space: SpaceRecord;
  role: Role | null;
  isGuest: boolean;
  /** The head of the branch. */
  point: RevisionPoint;
  changeRequest?: ChangeRequestRecord;
}

/** The id of the branch that comments belong to: the space (live content) or the change request. */
export const getBranch = ({ space, changeRequest }: Pick<BranchContext, 'space' | 'changeRequest'>): string =>
  changeRequest?.id ?? space.id;

/** The API path of the branch's comments. */
export const getCommentsPath = ({ space, changeRequest }: Pick<BranchContext, 'space' | 'changeRequest'>): string =>
  changeRequest === undefined
    ? `/spaces/${space.id}/comments`
    : `/spaces/${space.id}/change-requests/${changeRequest.id}/comments`;

/** The data that all events of a comment have. */
export const toCommentData = (comment: string, { changeRequest }: Pick<BranchContext, 'changeRequest'>) => ({
  comment,
  ...(changeRequest === undefined ? {} : { changeRequest: changeRequest.id }),
});

/** The organization and space of an event. */
export const toEventScope = ({ space }: Pick<BranchContext, 'space'>) => ({
  organization: space.organization,
  space: space.id,
});
