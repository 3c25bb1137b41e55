import { getPageById } from './get-page-by-id.ts';
import { getPageByPath } from './get-page-by-path.ts';
import { getPageInChangeRequestById } from './get-page-in-change-request-by-id.ts';
import { getPageInChangeRequestByPath } from './get-page-in-change-request-by-path.ts';
import { getPageInRevisionById } from './get-page-in-revision-by-id.ts';
import { getPageInRevisionByPath } from './get-page-in-revision-by-path.ts';
import { listPages } from './list-pages.ts';
import { listPagesInChangeRequest } from './list-pages-in-change-request.ts';
import { listPagesInRevisionById } from './list-pages-in-revision-by-id.ts';

export const pagesHandlers = {
  listPages,
  getPageById,
  getPageByPath,
  listPagesInChangeRequest,
  getPageInChangeRequestById,
  getPageInChangeRequestByPath,
  listPagesInRevisionById,
  getPageInRevisionById,
  getPageInRevisionByPath,
};
