import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';
import { headOf } from '../space-head/head-of.ts';
import { prepareChanges } from './documents.ts';
import { prepareFiles, presentInserted } from './prepare-files.ts';

export const updateSpaceContent: Handler<typeof content.updateSpaceContent, ContentEnvironment> = async (
  { body },
  { env, db, absorb, space, caller, urls },
) => {
  const prepared = await prepareChanges(space.organization, body.changes);
  const changes = await prepareFiles({ env, db, organization: space.organization }, prepared);
  const edited = absorb(
    await headOf(env, space.id).edit({ ...caller, space: space.id, branch: space.id, changes, base: body.revision }),
  );
  return { revision: edited.revision, changes: edited.changes, ...(await presentInserted(edited, { env, urls })) };
};
