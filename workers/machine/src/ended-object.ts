import { createErrorResponse, pauseWrites } from '@octavo/runtime';
import { createId, findStorageFull } from '@octavo/schema';

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

const toResponse = (error: unknown): Response => createErrorResponse(error, createId('request'));

/**
 * Responds if the object ended before it sent a response. If a write fails because the disk is full, the object ends,
 * and all of its other requests fail too. Reads are then repeated on a new object, and writes are rejected for a while.
 */
export async function handleEndedObject(
  error: unknown,
  request: Request,
  getObject: () => Pick<Fetcher, 'fetch'>,
): Promise<Response> {
  if (findStorageFull(error) === undefined) return toResponse(error);
  pauseWrites();
  return isRead(request) ? getObject().fetch(request).catch(toResponse) : toResponse(error);
}
