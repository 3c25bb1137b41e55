import type { ErrorType } from '../errors.ts';
import { conflict } from './collaboration/examples.ts';
import type { ErrorExample } from './documentation.ts';

/** Examples of the errors that the API returns. */
export const errors: Record<ErrorType, ErrorExample> = {
  invalid: {
    message: '`body.title` must be at most 50 characters.',
    issues: [{ path: 'body.title', message: 'must be at most 50 characters' }],
  },
  unauthenticated: { message: 'The token is invalid or has expired.' },
  forbidden: { message: 'This requires the role `create`.' },
  not_found: { message: 'Space not found.' },
  conflict: {
    message: `Resolve these conflicts first: ${conflict.field} of ${conflict.title} (${conflict.id}).`,
    conflicts: [conflict],
  },
  precondition_failed: { message: 'Live edits of this space are locked: use a change request.' },
  too_large: { message: 'The body must be at most 1 MiB.' },
  unsupported_media_type: { message: 'The body must be sent as application/json.' },
  rate_limited: { message: 'Too many requests. Try again in 12 seconds.' },
  internal: { message: 'The server failed to handle the request. Try again later.' },
  unknown_method: { message: 'This HTTP method is not supported.' },
  unavailable: { message: 'The server is overloaded. Try again later.' },
};
