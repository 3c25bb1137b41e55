import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { queryBoolean } from '../list.ts';

export const PdfExport = z.object({ url: z.string() }).meta({ id: 'PdfExport' });
export type PdfExport = z.infer<typeof PdfExport>;

export const pdfEndpoints = contract({
  getChangeRequestPDF: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/pdf',
    summary: 'Get an address, valid for an hour, of a change request as PDF',
    access: { space: 'access' },
    scope: 'space:read',
    params: z.object({ spaceId: Id, changeRequestId: Id }),
    query: z.object({ only: queryBoolean(false), page: Id.optional() }),
    response: PdfExport,
    success: 200,
  },
});
