import type { MergeResult, UpdateResult } from '../collaboration/change-requests.ts';
import type { Caller, Metered } from '../service.ts';

export interface ChangeRequestMove extends Caller {
  space: string;
  changeRequest: string;
}

/** What other workers may ask of the content worker. The caller has authorized the user; each call may be repeated. */
export interface ContentService {
  /**
   * Merges a change request into the space's head, or lists the conflicts and changes nothing.
   * A change request that is merged already answers with the revision of that merge.
   */
  mergeChangeRequest(move: ChangeRequestMove): Promise<Metered<MergeResult>>;
  /** Pulls the space's head into a change request. */
  updateChangeRequest(move: ChangeRequestMove): Promise<Metered<UpdateResult>>;
}
