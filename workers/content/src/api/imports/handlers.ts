import { cancelImport } from './cancel-import.ts';
import { cancelImportInChangeRequest } from './cancel-import-in-change-request.ts';
import { getImport } from './get-import.ts';
import { getImportInChangeRequest } from './get-import-in-change-request.ts';
import { importContent } from './import-content.ts';
import { importContentInChangeRequest } from './import-content-in-change-request.ts';

export const importsHandlers = {
  importContent,
  importContentInChangeRequest,
  getImport,
  getImportInChangeRequest,
  cancelImport,
  cancelImportInChangeRequest,
};
