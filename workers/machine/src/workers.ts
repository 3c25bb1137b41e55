import * as collaboration from '@octavo/collaboration';
import * as content from '@octavo/content';
import * as integrations from '@octavo/integrations';
import * as operator from '@octavo/operator';
import * as orgAdmin from '@octavo/org-admin';
import * as publishing from '@octavo/publishing';

/** The modules of the workers that run in the machine's object, by their names; the gateway stands before it. */
export const workers = { collaboration, content, integrations, operator, 'org-admin': orgAdmin, publishing };
