import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readRevision } from './read-revision.ts';

export const getRevisionOfChangeRequestById: Handler<
  typeof content.getRevisionOfChangeRequestById,
  ContentEnvironment
> = ({ query }, { env, db, point, space, changeRequest, urls }) =>
  readRevision({ db, place: { space: space.id, branch: changeRequest.id }, point, query, urls, env });
