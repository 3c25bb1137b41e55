import { changeRequestEndpoints } from './change-requests.ts';
import { commentEndpoints, commenterEndpoints, organizationCommentEndpoints, replyEndpoints } from './comments.ts';
import { pdfEndpoints } from './pdf.ts';
import { reviewEndpoints, reviewerEndpoints } from './reviews.ts';

export * from './change-requests.ts';
export * from './comments.ts';
export * from './merge-conflict.ts';
export * from './merge-rules.ts';
export * from './pdf.ts';
export * from './reviews.ts';

/** The endpoints of the collaboration worker. */
export const collaboration = {
  ...changeRequestEndpoints,
  ...reviewerEndpoints,
  ...reviewEndpoints,
  ...commentEndpoints,
  ...organizationCommentEndpoints,
  ...replyEndpoints,
  ...commenterEndpoints,
  ...pdfEndpoints,
};
