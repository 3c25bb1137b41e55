import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { exportPdf } from './export-pdf.ts';

export const getChangeRequestPDF: Handler<typeof collaboration.getChangeRequestPDF, CollaborationEnvironment> = (
  { query },
  context,
) => {
  const { caller, space, changeRequest, point } = context;
  const { id, organization, title } = space;
  const subtitle = [`Change request #${changeRequest.number}`, changeRequest.subject].filter(Boolean).join(': ');
  const of = { organization, space: id, changeRequest: changeRequest.id, revision: point.id };
  return exportPdf({ ...caller, ...query, ...of, title, subtitle }, context);
};
