import { getReusableContentById } from './get-reusable-content-by-id.ts';
import { getReusableContentInChangeRequestById } from './get-reusable-content-in-change-request-by-id.ts';
import { getReusableContentInRevisionById } from './get-reusable-content-in-revision-by-id.ts';

export const reusableContentsHandlers = {
  getReusableContentById,
  getReusableContentInChangeRequestById,
  getReusableContentInRevisionById,
};
