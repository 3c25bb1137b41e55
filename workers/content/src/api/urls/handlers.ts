import { getContentByUrl } from './get-content-by-url.ts';

export const urlsHandlers = { getContentByUrl };
