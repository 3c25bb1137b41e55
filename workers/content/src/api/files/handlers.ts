import { getFileById } from './get-file-by-id.ts';
import { getFileInChangeRequestById } from './get-file-in-change-request-by-id.ts';
import { getFileInRevisionById } from './get-file-in-revision-by-id.ts';
import { listFiles } from './list-files.ts';
import { listFilesInChangeRequestById } from './list-files-in-change-request-by-id.ts';
import { listFilesInRevisionById } from './list-files-in-revision-by-id.ts';

export const filesHandlers = {
  listFiles,
  getFileById,
  listFilesInChangeRequestById,
  getFileInChangeRequestById,
  listFilesInRevisionById,
  getFileInRevisionById,
};
