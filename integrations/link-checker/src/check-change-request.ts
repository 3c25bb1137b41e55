import { ApiRefusal, at, type IntegrationContext } from '@octavo/integration';
import type { ChangeRequest } from '@octavo/schema';
import { brokenLinks } from './broken-links.ts';
import { ownComment, tellsOf, textOf } from './own-comment.ts';

interface Told {
  spaceId?: string;
  changeRequest: string;
}

/** Checks the pages that a change request changes, and tells what is broken: once for each of its revisions. */
export async function checkChangeRequest(told: Told, context: IntegrationContext): Promise<void> {
  const { api } = context;
  const path = at`/spaces/${told.spaceId ?? ''}/change-requests/${told.changeRequest}`;
  const changeRequest = await find(api.get<ChangeRequest>(path));
  if (changeRequest === undefined || !['draft', 'open'].includes(changeRequest.status)) return;

  const comment = await ownComment(api, path);
  if (comment !== undefined && tellsOf(comment, changeRequest.revision)) return;
  const tryOthers = context.environment.installation?.configuration.external !== false;
  const found = await brokenLinks(api, path, tryOthers);
  if (comment === undefined && found.broken.length === 0) return;

  const body = { markdown: textOf(found, changeRequest.revision) };
  if (comment === undefined) await api.send('POST', `${path}/comments`, { body });
  else await api.send('PUT', `${path}${at`/comments/${comment.id}`}`, { body });
}

/** What is gone by now, or not the integration's to see: the branch of an import is no change request. */
const find = <Value>(asked: Promise<Value>): Promise<Value | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.status === 404) return undefined;
    throw error;
  });
