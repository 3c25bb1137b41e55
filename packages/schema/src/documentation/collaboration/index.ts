import type { ResourceDocumentation } from '../documentation.ts';
import { changeRequests } from './change-requests.ts';
import { comments } from './comments.ts';
import { pdfs } from './pdf.ts';
import { reviews } from './reviews.ts';

export const collaborationDocumentation: ResourceDocumentation[] = [changeRequests, comments, pdfs, reviews];
