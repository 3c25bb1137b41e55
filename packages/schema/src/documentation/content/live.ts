import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

export const live: ResourceDocumentation = {
  operations: {
    createLiveConnection: {
      description:
        'Returns the URL of a WebSocket that sends a message after each change in the space: of its content, its change ' +
        'requests, reviews and comments. Messages contain ids only; read the current state from the API. Open the URL ' +
        'within a minute. Access is checked again before messages are sent. The guide "Follow a space live" describes ' +
        'the messages.',
    },
  },
  schemas: {
    LiveConnection: {
      description: 'A URL with which the caller opens a live connection.',
      properties: {
        url: 'The URL of the WebSocket. It needs no token, so do not pass it to others.',
        expiresAt: 'The time until which the URL can be used.',
      },
      example: {
        object: 'live-connection',
        url: `wss://octavo.example.com/live/${ids.space}?user=${ids.user}&token=${ids.token}&expires=1772529360&signature=kq3W0uQb5vXl8ZrT1yHn4sDfGjKpLmOi7eRcVwUaBxE`,
        expiresAt: '2026-03-03T09:16:00.000Z',
      },
    },
  },
};
