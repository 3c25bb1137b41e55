import { getDocumentById } from './get-document-by-id.ts';

export const documentsHandlers = { getDocumentById };
