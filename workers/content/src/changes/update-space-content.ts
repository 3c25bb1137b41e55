import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';
import { headOf } from '../space-head/head-of.ts';
import { prepareChanges } from './documents.ts';

export const updateSpaceContent: Handler<typeof content.updateSpaceContent, ContentEnvironment> = async (
  { body },
  { env, absorb, space, caller, expected },
) => {
  const changes = await prepareChanges(space.organization, body.changes);
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
  return { revision: edited.revision, changes: edited.changes };
};
