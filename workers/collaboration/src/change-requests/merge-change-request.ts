import { lostRace, retryOnConflict } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration, MergeResult } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { decideMerge, withoutRules } from '../merge-rules/decide-merge.ts';

export const mergeChangeRequest: Handler<typeof collaboration.mergeChangeRequest, CollaborationEnvironment> = async (
  _,
  { env, db, absorb, space, role, changeRequest, actor, caller, expected, urls },
) => {
  const { id, status } = changeRequest;
  if (status === 'merged' || status === 'archived')
    throw conflict(`The change request is ${status} and cannot be merged.`);
  // Most merges have no rules to follow: they are not looked for before the content worker says that there are some.
  let mayHaveRules = space.mergeRules?.type === 'rules';
  return retryOnConflict(async (): Promise<MergeResult> => {
    const decision = mayHaveRules ? await decideMerge(db, { actor, role, space, changeRequest, urls }) : withoutRules;
    const merge = { ...caller, space: space.id, changeRequest: id, expected, decision };
    const result = absorb(await env.CONTENT.mergeChangeRequest(merge));
    if (result !== null) return result;
    mayHaveRules = true;
    throw lostRace('What the merge was decided on has moved.');
  });
};
