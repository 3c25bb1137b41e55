import { getChangeRequestPDF } from './get-change-request-pdf.ts';
import { getSpacePDF } from './get-space-pdf.ts';

export const pdfHandlers = { getSpacePDF, getChangeRequestPDF };
