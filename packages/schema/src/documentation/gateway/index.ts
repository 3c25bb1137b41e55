import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const information: ResourceDocumentation = {
  operations: {
    getApiInformation: {
      description: 'Returns the version of the API and the build of the server. No token is needed.',
    },
  },
  schemas: {
    ApiInformation: {
      description: 'The version of the API and the build of the server.',
      properties: {
        version: 'The version of the API.',
        build: 'The name of the running build. `unnamed` if it has none.',
      },
      example: { version: '1.0.0', build: 'v1.4.0' },
    },
    Error: {
      description: 'An error response of the API.',
      properties: {
        error: 'The error that occurred.',
        'error.code': 'The HTTP status.',
        'error.message': 'A description of the problem, for people.',
        'error.type': 'The kind of error, for programs.',
        'error.requestId': 'The id of the request, which is also in the log of the server.',
        'error.issues':
          'The faulty parts of the request, or the merge rules that do not pass. Absent if there are none.',
        'error.issues[].path': 'The location of the faulty value, such as `body.title`.',
        'error.issues[].message': 'A description of the problem.',
        'error.conflicts': 'The unresolved conflicts that prevent a merge. Absent if there are none.',
      },
      example: {
        error: { code: 404, message: 'Space not found.', type: 'not_found', requestId: ids.request },
      },
    },
    Timestamp: { description: 'A time in UTC, in the format of ISO 8601.', example: '2026-03-02T14:20:00.000Z' },
    Scope: { description: 'A scope, to which a token can be limited.', example: 'space:read' },
  },
};

export const gatewayDocumentation: ResourceDocumentation[] = [information];
