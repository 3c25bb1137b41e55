import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { exportPdf } from './export-pdf.ts';

export const getSpacePDF: Handler<typeof collaboration.getSpacePDF, CollaborationEnvironment> = (
  { query },
  context,
) => {
  const { caller, space, point } = context;
  const { id, organization, title } = space;
  return exportPdf({ ...caller, ...query, organization, space: id, revision: point.id, title }, context);
};
