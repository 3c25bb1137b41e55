import type { ChangeRequestRecord, RevisionPoint, SpaceRecord } from '@octavo/db';
import type { ActorContext, BaseContext } from '@octavo/runtime';
import type { Role } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';

/** The context of an operation on a space, or on a change request of it. */
export interface BranchContext extends BaseContext<CollaborationEnvironment>, ActorContext {
  space: SpaceRecord;
  role: Role | null;
  isGuest: boolean;
  /** The head of the branch. */
  point: RevisionPoint;
  changeRequest?: ChangeRequestRecord;
}

/** What comments hang on: the space's live content, by its id, or the change request. */
export const branchOf = ({ space, changeRequest }: Pick<BranchContext, 'space' | 'changeRequest'>): string =>
  changeRequest?.id ?? space.id;

/** The address of the branch's comments in the API. */
export const commentsPath = ({ space, changeRequest }: Pick<BranchContext, 'space' | 'changeRequest'>): string =>
  changeRequest === undefined
    ? `/spaces/${space.id}/comments`
    : `/spaces/${space.id}/change-requests/${changeRequest.id}/comments`;

/** What every event of a comment says of it. */
export const onComment = (comment: string, { changeRequest }: Pick<BranchContext, 'changeRequest'>) => ({
  comment,
  ...(changeRequest === undefined ? {} : { changeRequest: changeRequest.id }),
});

/** Where an event of the branch belongs. */
export const placeOf = ({ space }: Pick<BranchContext, 'space'>) => ({
  organization: space.organization,
  space: space.id,
});
