import type { ErrorType } from '../errors.ts';
import { conflict } from './collaboration/examples.ts';
import type { ErrorExample } from './documentation.ts';

/** Examples of the errors that the API returns. */
export const errors: Record<ErrorType, ErrorExample> = {
  invalid: {
    message: '`body.title` must be at most 50 characters.',
    issues: [{ path: 'body.title', message: 'must be at most 50 characters' }],
  },
  unauthenticated: { message: 'This request has no token. Send one as `Authorization: Bearer <token>`.' },
  forbidden: { message: 'You are not allowed to do this. It requires the right admin on the space.' },
  not_found: { message: 'Space not found.' },
  method_not_allowed: { message: 'This path does not support this method, only GET, HEAD, PATCH, OPTIONS.' },
  conflict: {
    message: `Resolve these conflicts first: ${conflict.field} of ${conflict.title} (${conflict.id}).`,
    conflicts: [conflict],
  },
  precondition_failed: { message: 'Live edits are locked in this space. Use a change request instead.' },
  too_large: {
    message: 'The body can be at most 1 MiB. Upload large files first: POST /v1/orgs/{organizationId}/uploads.',
  },
  unsupported_media_type: { message: 'The body must be sent as application/json.' },
  rate_limited: { message: 'Rate limit of 3000 searches per minute exceeded. Try again in 12 s.' },
  internal: { message: 'The server failed to handle the request. Try again later.' },
  unknown_method: { message: 'This HTTP method is not supported.' },
  unavailable: { message: 'A file with this content is being deleted. Try again in a few seconds.' },
  storage_full: { message: 'The disk of the server is full. Free space on it, then repeat the request.' },
};
