import type { ResourceDocumentation } from '../documentation.ts';
import { forEachContent } from '../documentation.ts';
import { pdf } from './examples.ts';

export const pdfs: ResourceDocumentation = {
  operations: forEachContent(
    { getSpacePDF: 'the live content of a space', getChangeRequestPDF: 'the content of a change request' },
    (content) => ({
      description:
        `Returns a URL of ${content} as PDF, which needs no token and expires after an hour. While the PDF is being ` +
        'rendered, the URL returns 202 with `Retry-After`. The same content is rendered only once. Returns 413 if the ' +
        'content is known to be too large for one PDF.',
      parameters: {
        page: 'The id of the page to export with the pages below it. If omitted, all pages are exported.',
        only: 'Whether only `page` itself is exported, without the pages below it. The default is false.',
      },
    }),
  ),
  schemas: {
    PdfExport: {
      description: 'A PDF, which may still be in preparation.',
      properties: {
        url: 'The URL of the PDF.',
        missingScripts:
          'Scripts with letters that no font contains: the PDF shows their numbers instead. Only once the PDF is ' +
          'rendered, and absent if there are none.',
      },
      example: pdf,
    },
  },
};
