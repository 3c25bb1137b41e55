import type { Handler } from '@octavo/runtime';
import { content } from '@octavo/schema';
import { prepareChanges } from '../../engine/edit/documents.ts';
import type { HeadEnvironment } from '../../heads/space-head.ts';
import { headOf } from '../../heads/space-head.ts';
import { prepareFiles, presentInserted } from './prepare-files.ts';

export const updateSpaceContent: Handler<typeof content.updateSpaceContent, HeadEnvironment> = async (
  { params, body },
  { env, db, absorb, space, caller, urls, expected, authorizeFor },
) => {
  const authorizeAgain = () => authorizeFor(content.updateSpaceContent, params);
  const prepared = await prepareChanges(space.organization, body.changes);
  const changes = await prepareFiles({ env, db, organization: space.organization, authorizeAgain }, prepared);
  const edited = absorb(
    await headOf(env, space.id).edit({
      ...caller,
      space: space.id,
      branch: space.id,
      changes,
      base: body.revision,
      expected,
    }),
  );
  const place = { space: space.id, branch: space.id };
  return {
    revision: edited.revision,
    changes: edited.changes,
    ...(await presentInserted(edited, { env, urls, place })),
  };
};
