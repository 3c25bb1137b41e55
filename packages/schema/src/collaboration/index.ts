import { changeRequestEndpoints } from './change-requests.ts';
import { commentEndpoints } from './comments.ts';
import { pdfEndpoints } from './pdf.ts';
import { replyEndpoints } from './replies.ts';
import { reviewerEndpoints } from './reviewers.ts';

export * from './change-request.ts';
export * from './change-requests.ts';
export * from './comments.ts';
export * from './pdf.ts';
export * from './replies.ts';
export * from './reviewers.ts';

/** What the collaboration worker promises. */
export const collaboration = {
  ...changeRequestEndpoints,
  ...reviewerEndpoints,
  ...commentEndpoints,
  ...replyEndpoints,
  ...pdfEndpoints,
};
