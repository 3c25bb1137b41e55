import * as z from 'zod';
import { Id } from '../ids.ts';
import { queryBoolean } from '../list.ts';
import { createPointEndpoints } from '../points.ts';

export const PdfExport = z
  .object({
    url: z.string(),
    /**
     * An extension of the GitBook API, set when the PDF is ready: scripts with letters that no font contains. The PDF
     * shows numbers in place of these letters.
     */
    missingScripts: z.array(z.string()).optional(),
  })
  .meta({ id: 'PdfExport' });
export type PdfExport = z.infer<typeof PdfExport>;

/** A PDF of a page includes its subpages, unless `only` is set. */
const PdfQuery = z
  .object({ only: queryBoolean(false), page: Id.optional() })
  .refine(({ only, page }) => !only || page !== undefined, {
    path: ['page'],
    message: 'is required with only=true',
  });

export const pdfEndpoints = createPointEndpoints({
  getPDF: {
    method: 'GET',
    path: '/pdf',
    scope: 'space:read',
    query: PdfQuery,
    response: PdfExport,
    rate: 'jobs',
    success: 200,
    at: {
      live: {
        id: 'getSpacePDF',
        summary: 'Export the live content of a space as PDF',
      },
      changeRequest: {
        id: 'getChangeRequestPDF',
        summary: 'Export the content of a change request as PDF',
      },
    },
  },
});
