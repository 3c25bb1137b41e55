import { changeRequestEndpoints } from './change-requests.ts';
import { commenterEndpoints } from './commenters.ts';
import { commentEndpoints } from './comments.ts';
import { pdfEndpoints } from './pdf.ts';
import { replyEndpoints } from './replies.ts';
import { reviewerEndpoints } from './reviewers.ts';
import { reviewEndpoints } from './reviews.ts';

export * from './change-request.ts';
export * from './change-requests.ts';
export * from './commenters.ts';
export * from './comments.ts';
export * from './merge-rules.ts';
export * from './pdf.ts';
export * from './replies.ts';
export * from './reviewers.ts';
export * from './reviews.ts';

/** What the collaboration worker promises. */
export const collaboration = {
  ...changeRequestEndpoints,
  ...reviewerEndpoints,
  ...reviewEndpoints,
  ...commentEndpoints,
  ...replyEndpoints,
  ...commenterEndpoints,
  ...pdfEndpoints,
};
