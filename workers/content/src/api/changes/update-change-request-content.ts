import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import { content } from '@octavo/schema';
import { prepareChanges } from '../../engine/edit/documents.ts';
import type { HeadEnvironment } from '../../heads/space-head.ts';
import { headOf } from '../../heads/space-head.ts';
import { prepareFiles, presentInserted } from './prepare-files.ts';

export const updateChangeRequestContent: Handler<typeof content.updateChangeRequestContent, HeadEnvironment> = async (
  { params, body, query },
  { env, db, absorb, space, changeRequest: record, caller, urls, expected, authorizeFor },
) => {
  const authorizeAgain = () => authorizeFor(content.updateChangeRequestContent, params);
  const prepared = await prepareChanges(space.organization, body.changes);
  const changes = await prepareFiles({ env, db, organization: space.organization, authorizeAgain }, prepared);
  const edited = absorb(
    await headOf(env, space.id).edit({
      ...caller,
      space: space.id,
      branch: record.id,
      changes,
      base: body.revision,
      expected,
    }),
  );
  const changeRequest = presentChangeRequest(
    { ...record, head: { ...record.head, id: edited.revision }, updatedAt: Date.now() },
    urls,
  );
  if (query.compat) return changeRequest;
  const place = { space: space.id, branch: record.id };
  return { changeRequest, changes: edited.changes, ...(await presentInserted(edited, { env, urls, place })) };
};
