import { ids } from './acme.ts';
import { collaborationDocumentation } from './collaboration/index.ts';
import { contentDocumentation } from './content/index.ts';
import { authentication, introduction, parameters, properties, tags } from './default-texts.ts';
import type { Documentation } from './documentation.ts';
import { errors } from './error-examples.ts';
import { gatewayDocumentation } from './gateway/index.ts';
import { integrationsDocumentation } from './integrations/index.ts';
import { orgAdminDocumentation } from './org-admin/index.ts';
import { publishingDocumentation } from './publishing/index.ts';

export type { Documentation } from './documentation.ts';

const resources = [
  ...gatewayDocumentation,
  ...orgAdminDocumentation,
  ...contentDocumentation,
  ...collaborationDocumentation,
  ...publishingDocumentation,
  ...integrationsDocumentation,
];

/**
 * The documentation of the API, for its OpenAPI document. No other bundle imports it, because of its size. It imports
 * no other modules of this package, which would have to be loaded on demand with it.
 */
export const documentation: Documentation = {
  operations: Object.assign({}, ...resources.map(({ operations }) => operations)),
  schemas: Object.assign({}, ...resources.map(({ schemas }) => schemas)),
  ...{ introduction, authentication, tags, parameters, properties, errors, requestId: ids.request },
};
