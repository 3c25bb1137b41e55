import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { queryBoolean } from '../list.ts';

export const PdfExport = z.object({ url: z.string() }).meta({ id: 'PdfExport' });
export type PdfExport = z.infer<typeof PdfExport>;

/** A page comes with those below it, unless it alone is wanted. */
const PdfQuery = z
  .object({ only: queryBoolean(false), page: Id.optional() })
  .refine(({ only, page }) => !only || page !== undefined, {
    path: ['page'],
    message: 'is needed where only one page is wanted',
  });

export const pdfEndpoints = contract({
  getSpacePDF: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/pdf',
    summary: 'Get an address, valid for an hour, of the live content of a space as PDF',
    access: { space: 'view' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    query: PdfQuery,
    response: PdfExport,
    rate: 'jobs',
    success: 200,
  },
  getChangeRequestPDF: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/pdf',
    summary: 'Get an address, valid for an hour, of a change request as PDF',
    access: { space: 'access' },
    scope: 'space:read',
    params: z.object({ spaceId: Id, changeRequestId: Id }),
    query: PdfQuery,
    response: PdfExport,
    rate: 'jobs',
    success: 200,
  },
});
