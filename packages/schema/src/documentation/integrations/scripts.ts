import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const component = {
  componentId: 'station',
  props: { name: 'Brocken' },
  context: { type: 'document', theme: 'light', spaceId: ids.space, editable: false },
} as const;

const scriptEvent = {
  eventId: ids.event,
  type: 'change_request.merged',
  installationId: ids.installation,
  spaceId: ids.space,
  changeRequest: ids.changeRequest,
} as const;

const scriptLog = { message: 'Updated 3 pages', timestamp: '2026-03-02T14:20:02.000Z', level: 'info' } as const;

const loggedEvent = {
  id: 'evt_0PmT4nB9pQaZ3wSxEdCr',
  integrationId: 'weather',
  installationId: ids.installation,
  createdAt: '2026-03-02T14:20:03.000Z',
  payload: scriptEvent,
  status: 'success',
} as const;

export const scripts: ResourceDocumentation = {
  operations: {
    listIntegrationEvents: {
      description:
        'Lists the runs of the script of an integration, newest first. Runs are stored for 30 days. Successful runs ' +
        'that render components are not logged, and runs that anyone can cause only up to a limit. Requires the ' +
        'token of the integration, or an admin of the organization that owns it.',
    },
    getIntegrationEvent: {
      description:
        'Returns a run of the script of an integration, with the lines that it wrote to the console. Secrets are ' +
        'removed from the lines.',
      response: {
        event: 'The run of the script.',
        trace: 'The output of the run.',
        'trace.logs': 'The lines that the script wrote to the console.',
        'trace.error': 'The reason why the run failed. Absent if it succeeded. An extension of this server.',
      },
      example: { response: { event: loggedEvent, trace: { logs: [scriptLog] } } },
    },
    renderIntegrationUIWithPost: {
      description:
        'Renders a component with the script of an integration. The caller must be able to see the space, or to ' +
        'configure the installation. Returns 503 if the script fails; the log of the integration has the reason.',
      example: { body: component },
    },
    renderIntegrationUIWithGet: {
      description: 'Renders a component like the POST operation, with a request that caches can store.',
      parameters: { request: 'The body of the POST operation as JSON, compressed with LZ-string for URLs.' },
    },
    queueIntegrationTask: {
      description:
        'Calls the script of an integration later with a task. A failed task is repeated up to four times. An ' +
        'integration can have at most 1,000 pending tasks. Returns 409 if it has more.',
      body: {
        task: 'The task, which the script receives unchanged. At most 65,536 characters as JSON.',
        schedule: 'The delay in seconds.',
      },
      example: { body: { task: { type: 'refresh', station: 'Brocken' }, schedule: 60 } },
    },
    setIntegrationDevelopmentMode: {
      description:
        'Calls a URL instead of the published script, for installations of the organization that owns the ' +
        'integration. The mode ends after the given time unless it is set again. The URL must use HTTPS and must be ' +
        'public, unless the server allows private addresses.',
      body: {
        tunnelUrl: 'The URL to call.',
        seconds: 'The duration in seconds. An extension of this server.',
        all: 'Accepted and ignored: the URL is never called for installations of other organizations.',
      },
      example: { body: { tunnelUrl: 'https://tunnel.acme.example', seconds: 3600 } },
    },
    disableIntegrationDevelopmentMode: {
      description: 'Ends the development mode. The published script runs again.',
    },
  },
  schemas: {
    ScriptEvent: {
      description: 'The event that a script is called with. Its type determines the other fields.',
      properties: { eventId: 'The id of the event.', type: 'The type of the event.' },
      example: scriptEvent,
    },
    ScriptLog: {
      description: 'A line that a script wrote to its console.',
      properties: {
        message: 'The text of the line.',
        timestamp: 'The time at which it was written.',
        level: 'The level of the console function.',
      },
      example: scriptLog,
    },
    IntegrationEvent: {
      description: 'A run of the script of an integration.',
      properties: {
        integrationId: 'The name of the integration.',
        installationId: 'The id of the installation. Absent if the run did not concern an installation.',
        createdAt: 'The time of the run.',
        payload: 'The event that the script was called with.',
        status: 'Whether the run succeeded.',
      },
      example: loggedEvent,
    },
    RenderIntegrationUI: {
      description: 'A request to render a component.',
      properties: {
        componentId: 'The id of the component.',
        props: 'The props of the component.',
        state: 'The state of the component. If omitted, the component is rendered for the first time.',
        context: 'The context in which the component is rendered.',
        'context.type': 'The kind of context: a configuration, or a block in a document.',
        'context.theme': 'The color scheme.',
        'context.organizationId': 'The id of the organization.',
        'context.spaceId': 'The id of the space.',
        'context.siteId': 'The id of the site.',
        'context.editable': 'Whether the reader can edit the document.',
        action: 'The action of the reader that the component handles. If omitted, there is none.',
      },
      example: component,
    },
    RenderedIntegrationUI: {
      description: 'A rendered component, or the end of a dialog.',
      properties: {
        type: '`element` for a rendered component, `complete` for the end of a dialog. It determines the other fields.',
      },
      example: {
        type: 'element',
        element: { type: 'block', children: [{ type: 'text', children: ['Fair at Brocken'] }] },
        props: { name: 'Brocken' },
        state: {},
      },
    },
  },
};
